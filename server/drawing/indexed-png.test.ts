import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { indexedPng } from './indexed-png.ts';

/** The chunks of a PNG by their type. */
function chunksOf(png: Buffer): Record<string, Buffer> {
  const chunks: Record<string, Buffer> = {};
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks[png.toString('latin1', at + 4, at + 8)] = png.subarray(at + 8, at + 8 + length);
    at += 12 + length;
  }
  return chunks;
}

/** Reads a picture as a viewer does. */
function decoded(png: Buffer): number[][] {
  const { IHDR, PLTE, IDAT } = chunksOf(png);
  if (!IHDR || !PLTE || !IDAT) throw new Error('a chunk is missing');
  const [width, height] = [IHDR.readUInt32BE(0), IHDR.readUInt32BE(4)];
  const lines = inflateSync(IDAT);
  return Array.from({ length: width * height }, (_, n) => {
    const index = lines[Math.floor(n / width) * (width + 1) + 1 + (n % width)] ?? 0;
    return [...PLTE.subarray(3 * index, 3 * index + 3)];
  });
}

test('a picture of at most 256 colours stays as it is, to the pixel', () => {
  const pixels = Array.from({ length: 16 * 16 }, (_, n) => [n, 255 - n, n >> 1]);
  const png = indexedPng(Uint8Array.from(pixels.flatMap((rgb) => [...rgb, 255])), 16, 16);
  expect(Object.keys(chunksOf(png))).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND']);
  expect(decoded(png)).toEqual(pixels);
});

test('a picture that is too large has fewer colours', () => {
  // Noise, of two colours more often than of others.
  const pixels = Array.from({ length: 64 * 64 }, (_, n) =>
    n % 3 === 0 ? [0, 0, 0] : [(n * n * 37) % 251, 9, 9],
  );
  const of = (fits?: number) =>
    indexedPng(Uint8Array.from(pixels.flatMap((rgb) => [...rgb, 255])), 64, 64, fits);
  const [large, small] = [of(), of(1000)];
  expect(chunksOf(large)['PLTE']?.length).toBeGreaterThan(3 * 64);
  expect(chunksOf(small)['PLTE']).toHaveLength(3 * 64);
  expect(small.length).toBeLessThan(large.length);
});

test('of more colours the rarest become the nearest of the others', () => {
  // Twice each of 256 greens, and once a red and a green that is none of them.
  const greens = Array.from({ length: 512 }, (_, n) => [0, n >> 1, 0]);
  const pixels = [...greens, [255, 0, 0], [3, 128, 2]];
  const png = indexedPng(Uint8Array.from(pixels.flatMap((rgb) => [...rgb, 255])), 257, 2);
  expect(decoded(png)).toEqual([...greens, [0, 0, 0], [0, 128, 0]]);
});
