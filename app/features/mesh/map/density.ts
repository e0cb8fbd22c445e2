/** How dense the network is, on a grid: what the map's glow shows. */

/** Passes of the blur: three box blurs are nearly a Gaussian one. */
const PASSES = 3;

/**
 * Sums up weights by cell and spreads each over its surroundings.
 * @param points their cell, whole numbers, and their weight
 * @param radius cells
 * @returns row by row; a point of weight 1 adds up to 1
 */
export function densityOf(
  points: Iterable<{ column: number; row: number; weight: number }>,
  columns: number,
  rows: number,
  radius: number,
): Float32Array {
  let cells = new Float32Array(columns * rows);
  for (const { column, row, weight } of points) {
    if (column < 0 || row < 0 || column >= columns || row >= rows) continue;
    const at = row * columns + column;
    cells[at] = (cells[at] as number) + weight;
  }
  let spare = new Float32Array(cells.length);
  for (let pass = 0; pass < PASSES; pass++) {
    blur(cells, spare, rows, columns, columns, 1, radius);
    [cells, spare] = [spare, cells];
    blur(cells, spare, columns, rows, 1, columns, radius);
    [cells, spare] = [spare, cells];
  }
  return cells;
}

/** The mean of each cell and its neighbours along one direction. */
function blur(
  from: Float32Array,
  to: Float32Array,
  lines: number,
  length: number,
  nextLine: number,
  next: number,
  radius: number,
): void {
  const share = 1 / (2 * radius + 1);
  for (let line = 0; line < lines; line++) {
    const start = line * nextLine;
    let sum = 0;
    for (let at = 0; at < Math.min(radius, length); at++) sum += from[start + at * next] as number;
    for (let at = 0; at < length; at++) {
      if (at + radius < length) sum += from[start + (at + radius) * next] as number;
      if (at - radius > 0) sum -= from[start + (at - radius - 1) * next] as number;
      to[start + at * next] = sum * share;
    }
  }
}
