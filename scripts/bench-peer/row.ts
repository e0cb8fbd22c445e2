/** What a figure has to be. */
export type Target = { below: number } | { atLeast: number };

/** One figure. */
export interface Row {
  name: string;
  /** Null where the system does not say. */
  value: number | null;
  unit: 's' | 'ms' | 'MB' | 'MB/s' | '%' | 'sessions' | 'blocks';
  target?: Target;
}

/** Null: there is no target, or no value. */
export function isMet({ value, target }: Row): boolean | null {
  if (value === null || !target) return null;
  return 'below' in target ? value < target.below : value >= target.atLeast;
}

/** The figure with its unit, its target, and whether it is met. */
export function cellsOf(row: Row): string[] {
  const { value, unit, target } = row;
  const bound = target && ('below' in target ? `< ${target.below}` : `≥ ${target.atLeast}`);
  const met = isMet(row);
  return [
    row.name,
    value === null ? '–' : `${format(value)} ${unit}`,
    bound ? `${bound} ${unit}` : '',
    met === null ? '' : met ? 'yes' : 'no',
  ];
}

export const HEAD = ['', 'Measured', 'Target', 'Met'];

function format(value: number): string {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
