/** The heights of a sheet, lowest first. Its style sheet defines the first two. */
export const STOPS = ['peek', 'half', 'full'] as const;
export type Stop = (typeof STOPS)[number];

/** What its full height leaves free above it, px: as in the style sheet. */
const ABOVE = 12;

/** px */
export function sheetHeights(sheet: HTMLElement): Record<Stop, number> {
  const all = sheet.parentElement?.offsetHeight ?? 0;
  const style = getComputedStyle(sheet);
  const peek = parseFloat(style.getPropertyValue('--peek'));
  const half = Math.min(parseFloat(style.getPropertyValue('--half')), all / 2);
  return { peek, half, full: all - ABOVE };
}

/** The height that it has or is on its way to, px. */
export const restingHeight = (sheet: HTMLElement): number =>
  sheetHeights(sheet)[(sheet.dataset['stop'] ?? 'peek') as Stop];
