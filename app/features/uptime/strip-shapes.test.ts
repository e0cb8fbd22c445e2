import { expect, test } from 'vitest';
import { lossDepth, stripShapes } from './strip-shapes.ts';

const size = { bar: 30, loss: 12.5 };
/** The columns at which the parts of a path begin. */
const columns = (path: string) => [...path.matchAll(/M([\d.]+)/g)].map(([, x]) => Number(x));

test('a day with an outage has a bar of its own and its loss below the line', () => {
  const { part, loss, whole } = stripShapes([0, 2520, 0], size, 0.6);
  expect(columns(part)).toEqual([1.2]);
  expect(columns(loss)).toEqual([1.2]);
  expect(loss).toContain(' 31.5h');
  expect(columns(whole)).toEqual([0.2, 2.2]);
});

test('days in a row are one line, however many they are', () => {
  expect(stripShapes(new Array<number>(90).fill(0), size, 0.6).whole).toBe('M0.2 15H89.8');
});

test('days that were not measured are dashes on the line, and no loss', () => {
  const { unknown, whole, loss } = stripShapes([null, null, 0], size, 0.6);
  expect(unknown).toBe('M0.2 29.25H1.8');
  expect(columns(whole)).toEqual([2.2]);
  expect(loss).toBe('');
});

test('a day that was wholly lost has no bar', () => {
  const { part, track, loss } = stripShapes([86_400], size, 0.6);
  expect({ part, track: columns(track), loss: columns(loss) }).toEqual({
    part: '',
    track: [0.2],
    loss: [0.2],
  });
});

test('longer is deeper, on a logarithmic scale that ends at a day', () => {
  const depths = [60, 300, 480, 2520, 12 * 3600, 86_400].map((seconds) =>
    Math.round(lossDepth(seconds, size) * 10),
  );
  expect(depths).toEqual([...depths].sort((a, b) => a - b));
  expect([depths[0], depths.at(-1)]).toEqual([20, 125]);
});
