import { expect, test } from 'vitest';
import { bars, offlineMark, onlineBar, unmeasuredMark } from './uptime-bars.ts';
import { duration, remarks } from './uptime-text.ts';

const QUARTER = 900;
const strip = (online: number, measured: number, unmeasured: number) => ({
  window: '24h' as const,
  cells: '',
  uptime: measured === 0 ? null : online / measured,
  onlineSeconds: online * QUARTER,
  measuredSeconds: measured * QUARTER,
  unmeasuredSeconds: unmeasured * QUARTER,
});

test.each([
  [0, '0 min'],
  [45 * 60, '45 min'],
  [60 * 60, '1 h'],
  [4 * 3600 + 15 * 60, '4 h 15 min'],
  [47 * 3600 + 45 * 60, '47 h 45 min'],
  [48 * 3600, '2 days'],
  [76 * 3600 + 45 * 60, '3 days 4 h'],
])('%i s are “%s”', (seconds, text) => expect(duration(seconds)).toBe(text));

test('what was not measured is neither online nor offline', () => {
  expect(remarks(strip(96, 96, 0))).toEqual(['never offline']);
  expect(remarks(strip(95, 96, 0))).toEqual(['offline for 15 min']);
  expect(remarks(strip(90, 92, 4))).toEqual(['offline for 30 min', 'not measured: 1 h']);
  expect(remarks(strip(0, 0, 96))).toEqual(['not measured: 24 h']);
});

test('each cell of a strip is drawn by its kind, at its place', () => {
  // Always online, sometimes, never, not measured, before the node was known.
  const cells = '950?-';
  const drawn = (bar: typeof onlineBar) =>
    [...bars(cells, bar).matchAll(/M(\d)/g)].map(([, cell]) => cells[Number(cell)]);
  expect(drawn(onlineBar)).toEqual(['9', '5']);
  expect(drawn(offlineMark)).toEqual(['5', '0']);
  expect(drawn(unmeasuredMark)).toEqual(['?']);
});

test('even a short presence is seen, and a longer one is higher', () => {
  const heights = [...'123456789'].map((cell) => onlineBar(cell)?.height ?? 0);
  expect(heights[0]).toBeGreaterThan(4);
  expect(heights).toEqual([...heights].sort((a, b) => a - b));
  expect(new Set(heights).size).toBe(9);
});
