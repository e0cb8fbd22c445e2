import type { Figure, Setup } from './scenarios/scenario.ts';

/** What one scenario measured in one setup: of each build, in every round. */
export interface Result {
  scenario: string;
  setup: Setup;
  builds: Record<string, { rounds: Figure[][]; skipped?: string }>;
}

export const describeSetup = ({ database, nodes, processes, servers }: Setup): string =>
  [
    database,
    `${nodes.toLocaleString('en')} nodes`,
    servers > 1 ? `${servers} servers` : `${processes} process${processes > 1 ? 'es' : ''}`,
  ].join(', ');

/** Of those that are numbers; null without any. */
export function median(values: (number | null)[]): number | null {
  const sorted = values.filter((value) => value !== null && Number.isFinite(value)) as number[];
  sorted.sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  if (upper === undefined) return null;
  return ((sorted[Math.ceil(middle) - 1] ?? upper) + upper) / 2;
}

/** A figure's values in all rounds in which it could be measured. */
export const valuesOf = (rounds: Figure[][], name: string): number[] =>
  rounds
    .flat()
    .flatMap((figure) => (figure.name === name && figure.value !== null ? [figure.value] : []));

function format(value: number): string {
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** The median, and the range where there are several rounds. */
export function formatRounds(values: number[], withRange = true): string {
  const middle = median(values);
  if (middle === null) return '–';
  if (values.length === 1 || !withRange) return format(middle);
  return `${format(middle)} (${format(Math.min(...values))}–${format(Math.max(...values))})`;
}

/** One scenario as lines: a figure each, the builds side by side. */
export function formatResult({ scenario, setup, builds }: Result): string {
  const labels = Object.keys(builds);
  const lines = [`\n${scenario}: ${describeSetup(setup)}`];
  const figures = new Map<string, Figure>();
  for (const label of labels) {
    const { rounds, skipped } = builds[label] ?? { rounds: [] };
    if (skipped !== undefined) lines.push(`  not measured for ${label}: ${skipped}`);
    for (const figure of rounds.flat()) figures.set(figure.name, figure);
  }
  const several = labels.length > 1;
  const wide = labels.some((label) => (builds[label]?.rounds.length ?? 0) > 1) ? 27 : 10;
  if (several && figures.size > 0)
    lines.push(
      `  ${''.padEnd(34)}${labels.map((label) => label.padStart(wide)).join('')}${'change'.padStart(9)}`,
    );
  for (const { name, unit, aim } of figures.values()) {
    const samples = labels.map((label) => valuesOf(builds[label]?.rounds ?? [], name));
    const [before, after] = samples.map(median);
    const change =
      before && after !== undefined && after !== null
        ? `${after >= before ? '+' : '−'}${Math.abs(Math.round((after / before - 1) * 100))} %`
        : '';
    lines.push(
      [
        `  ${name.padEnd(34)}`,
        ...samples.map((values) => formatRounds(values).padStart(wide)),
        several ? change.padStart(9) : '',
        ` ${unit.padEnd(8)}`,
        aim === undefined ? '' : `  aim ${aim}`,
      ]
        .join('')
        .trimEnd(),
    );
  }
  return lines.join('\n');
}
