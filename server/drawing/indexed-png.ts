import { crc32, deflateSync } from 'node:zlib';

/** Colours of a palette: fewer, if the picture is too large with more. */
const COLOURS = [256, 128, 64];
/** Of compression: 9 takes twice as long for one percent. */
const LEVEL = 8;
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Of the header: 8 bits for each pixel, which is the number of a colour. */
const [BITS, INDEXED] = [8, 3];

/**
 * A PNG with a palette, for pictures of few colours: a third as large as one that spells out each pixel. The colours that
 * most pixels have stay as they are, and any other becomes the one of them that is nearest.
 * @param pixels red, green, blue and alpha of each; how opaque they are is left out
 * @param fits its size in bytes: a picture of 64 colours may be larger nevertheless
 */
export function indexedPng(
  pixels: Uint8Array,
  width: number,
  height: number,
  fits = Infinity,
): Buffer {
  const colours = coloursOf(pixels);
  const uses = new Map<number, number>();
  forEachRun(colours, (colour, from, to) => uses.set(colour, (uses.get(colour) ?? 0) + to - from));
  const ranked = [...uses].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  let png: Buffer = Buffer.alloc(0);
  for (const count of COLOURS) {
    png = encode(colours, width, height, ranked, count);
    if (png.length <= fits) break;
  }
  return png;
}

/** @param ranked all colours, the one of most pixels first. @param count how many of them make the palette */
function encode(
  colours: Uint32Array,
  width: number,
  height: number,
  ranked: number[],
  count: number,
): Buffer {
  const palette = ranked.slice(0, count);
  const numbers = new Map(ranked.map((colour) => [colour, nearest(palette, colour)]));

  const indexes = Buffer.alloc(colours.length);
  forEachRun(colours, (colour, from, to) => indexes.fill(numbers.get(colour) ?? 0, from, to));
  // Each line begins with the number of its filter: none.
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    indexes.copy(lines, y * (width + 1) + 1, y * width, (y + 1) * width);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BITS, INDEXED], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((c) => [red(c), green(c), blue(c)]))),
    chunk('IDAT', deflateSync(lines, { level: LEVEL })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function coloursOf(pixels: Uint8Array): Uint32Array {
  const colours = new Uint32Array(pixels.length / 4);
  for (let at = 0, of = 0; at < colours.length; at++, of += 4)
    colours[at] = ((pixels[of] ?? 0) << 16) | ((pixels[of + 1] ?? 0) << 8) | (pixels[of + 2] ?? 0);
  return colours;
}

const red = (colour: number) => colour >> 16;
const green = (colour: number) => (colour >> 8) & 255;
const blue = (colour: number) => colour & 255;

/** Pixels of one colour lie side by side: to look up each run is ten times quicker than each pixel. */
function forEachRun(
  colours: Uint32Array,
  use: (colour: number, from: number, to: number) => void,
): void {
  for (let from = 0, to = 0; from < colours.length; from = to) {
    const colour = colours[from] ?? 0;
    while (to < colours.length && colours[to] === colour) to++;
    use(colour, from, to);
  }
}

/** The number in the palette of the colour that is nearest. */
function nearest(palette: number[], colour: number): number {
  let [number, least] = [0, Infinity];
  palette.forEach((other, n) => {
    const distance =
      (red(colour) - red(other)) ** 2 +
      (green(colour) - green(other)) ** 2 +
      (blue(colour) - blue(other)) ** 2;
    if (distance < least) [number, least] = [n, distance];
  });
  return number;
}

/** A chunk of a PNG: its length, its type, its data, and the checksum of both. */
function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}
