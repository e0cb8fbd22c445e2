/** The shapes of an uptime strip, as SVG path data. Bars stand on a line; what was offline is marked below it. */

const LINE = 22;
/** Height of a strip; a cell is 1 wide. */
export const STRIP_HEIGHT = 30;

export type Bar = { y: number; height: number } | null;

/** @param cell of an UptimeStrip */
export const onlineBar = (cell: string): Bar => {
  const share = Number(cell) / 9;
  // Even a short presence stays visible.
  const height = share > 0 ? 4 + (LINE - 4) * share : 0;
  return height > 0 ? { y: LINE - height, height } : null;
};
export const offlineMark = (cell: string): Bar =>
  /[0-8]/.test(cell) ? { y: LINE + 2, height: STRIP_HEIGHT - LINE - 2 } : null;
export const unmeasuredMark = (cell: string): Bar =>
  cell === '?' ? { y: LINE - 3, height: 3 } : null;

/** One path for all cells of a kind. */
export const bars = (cells: string, bar: (cell: string) => Bar): string =>
  Array.from(cells, (cell, n) => {
    const found = bar(cell);
    return found ? `M${n}.1 ${Math.round(found.y)}h.8v${Math.round(found.height)}h-.8z` : '';
  }).join('');
