import { afterAll, expect, test } from 'vitest';
import { createPictures } from './pictures.ts';

const pictures = createPictures();
afterAll(() => pictures.stop());

const svg = (n: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="${n}" height="10"/></svg>`;

test('a picture is drawn once, however many ask and whenever', async () => {
  const { etag } = pictures.picture(svg(1));
  const asked = Array.from({ length: 50 }, () => pictures.picture(svg(1)));
  expect(new Set(asked.map((picture) => picture.etag))).toEqual(new Set([etag]));
  const [first, ...others] = await Promise.all(asked.map((picture) => picture.png()));
  for (const png of others) expect(png).toBe(first);
  expect(await pictures.picture(svg(1)).png()).toBe(first);
  expect(pictures.picture(svg(2)).etag).not.toBe(etag);
});

test('sixteen different ones may wait, and those after them are refused until some are drawn', async () => {
  const asked = Array.from({ length: 20 }, (_, n) => pictures.picture(svg(100 + n)).png());
  const results = await Promise.allSettled(asked);
  expect(results.map(({ status }) => status)).toEqual([
    ...Array<string>(16).fill('fulfilled'),
    ...Array<string>(4).fill('rejected'),
  ]);
  expect(results[19]).toMatchObject({ reason: { code: 'unavailable', retryAfter: 2 } });
  // A refusal is not remembered.
  await expect(pictures.picture(svg(119)).png()).resolves.toBeInstanceOf(Buffer);
});

test('what can’t be drawn is an error, and the next picture is drawn', async () => {
  await expect(pictures.picture('<svg').png()).rejects.toThrow();
  await expect(pictures.picture(svg(3)).png()).resolves.toBeInstanceOf(Buffer);
});

test('after the thread has ended another one takes its place', async () => {
  await pictures.stop();
  await expect(pictures.picture(svg(4)).png()).resolves.toBeInstanceOf(Buffer);
});

test('text is drawn, in every script of the font', async () => {
  const drawn = (text: string) =>
    pictures
      .picture(
        `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="60"><text y="50" font-size="40">${text}</text></svg>`,
      )
      .png();
  const [nothing, ...texts] = await Promise.all(['', 'garage', 'Гараж', 'Ωμέγα', 'ő'].map(drawn));
  for (const png of texts) expect(png.length).toBeGreaterThan((nothing?.length ?? 0) + 100);
});
