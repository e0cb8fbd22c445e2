import type { View } from './canvas-layer.client.ts';
import type { Palette } from './palette.client.ts';

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

/** Sides of the cells of the glow, and of the lights of single places, CSS px. */
const GLOW_CELL = 8;
const LIGHT_CELL = 2;
/** How far a place glows, cells. */
const GLOW_RADIUS = 1;
/**
 * How soon the glow reaches its full colour with the density. In a small network one node glows; in a large one it
 * takes the densest twentieth of what is shown, so that differences remain.
 */
const GAIN = { one: 3, densest: 1.1 };
/** Cells beyond which a sample of them tells how dense the densest are. */
const SAMPLE = 2000;
/** Opacity of a place with one node, of each doubling, and the most. */
const LIGHT = { one: 0.35, doubling: 0.1, most: 0.9 };

/**
 * The places as lights with a glow where they are dense, as cities are at night. Offline nodes are dark.
 * @param alive where nodes are that are not offline, and how many: x, y (px at zoom 0), count and so on
 */
export function drawDensity(
  context: OffscreenCanvasRenderingContext2D,
  view: View,
  alive: Float32Array,
  palette: Palette,
): void {
  const { scale, x: left, y: top, width, height } = view;
  const shown: { x: number; y: number; count: number }[] = [];
  for (let at = 0; at + 2 < alive.length; at += 3) {
    const [x = 0, y = 0, count = 0] = alive.subarray(at, at + 3);
    const down = y * scale - top;
    if (down < 0 || down > height) continue;
    const across = x * scale - left;
    if (across >= 0 && across <= width) shown.push({ x: across, y: down, count });
  }
  const glow = grid(width, height, GLOW_CELL);
  const density = densityOf(
    shown.map(({ x, y, count }) => ({
      column: Math.floor(x / GLOW_CELL),
      row: Math.floor(y / GLOW_CELL),
      weight: Math.sqrt(count),
    })),
    glow.columns,
    glow.rows,
    GLOW_RADIUS,
  );
  const gain = Math.min(GAIN.one, GAIN.densest / densest(density));
  paint(context, glow, GLOW_CELL, palette.glow, (alphas) =>
    density.forEach((value, at) => {
      if (value > 0.001) alphas(at, 1 - Math.exp(-gain * value));
    }),
  );
  const light = grid(width, height, LIGHT_CELL);
  paint(context, light, LIGHT_CELL, palette.online, (alphas) => {
    for (const { x, y, count } of shown) {
      const at = Math.floor(y / LIGHT_CELL) * light.columns + Math.floor(x / LIGHT_CELL);
      alphas(at, Math.min(LIGHT.one + LIGHT.doubling * Math.log2(count), LIGHT.most));
    }
  });
}

/** The density that a twentieth of the cells that glow are above. */
function densest(density: Float32Array): number {
  const step = Math.ceil(density.length / SAMPLE);
  const sample = density.filter((value, at) => at % step === 0 && value > 0.001).sort();
  return sample[Math.floor(sample.length * 0.95)] ?? Infinity;
}

const grid = (width: number, height: number, cell: number) => ({
  columns: Math.ceil(width / cell),
  rows: Math.ceil(height / cell),
});

/** Draws cells of one colour and many opacities, smoothly. */
function paint(
  context: OffscreenCanvasRenderingContext2D,
  { columns, rows }: { columns: number; rows: number },
  cell: number,
  colour: string,
  fill: (alpha: (at: number, alpha: number) => void) => void,
): void {
  const [red = 0, green = 0, blue = 0, most = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  const image = new ImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const rgb = (blue << 16) | (green << 8) | red;
  fill((at, alpha) => {
    pixels[at] = ((Math.round(alpha * most * 255) << 24) | rgb) >>> 0;
  });
  const canvas = new OffscreenCanvas(columns, rows);
  canvas.getContext('2d')?.putImageData(image, 0, 0);
  context.imageSmoothingQuality = 'high';
  context.drawImage(canvas, 0, 0, columns * cell, rows * cell);
}
