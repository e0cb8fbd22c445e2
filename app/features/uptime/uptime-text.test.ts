import { expect, test } from 'vitest';
import { bars, offlineMark, onlineBar, unmeasuredMark } from './uptime-bars.ts';
import { dayOfStrip, dayText, offlineSeconds, spanText } from './uptime-text.ts';

const MINUTE = 60;
const HOUR = 3600;

test.each([
  [20, '1 min'],
  [8 * MINUTE + 59, '8 min'],
  [HOUR, '1 h'],
  [14 * HOUR + 35 * MINUTE, '14 h 35 min'],
  [47 * HOUR + 45 * MINUTE, '47 h 45 min'],
  [48 * HOUR, '2 d'],
  [151 * HOUR + 45 * MINUTE, '6 d 7 h'],
])('%i s are “%s”', (seconds, text) => expect(spanText(seconds)).toBe(text));

test('a day says how long its node was offline, and what is not known', () => {
  const strip = {
    first: '2026-10-30',
    offline: [null, null, 0, 2520, 0],
    before: 1,
    unmeasured: { 1: 86_400, 3: 10_800 },
  };
  expect(strip.offline.map((_, n) => dayText(strip, n))).toEqual([
    'not measured',
    'not measured',
    'online',
    'offline 42 min, 3 h not measured',
    'online so far',
  ]);
  expect(dayOfStrip(strip, 3)).toBe('2026-11-02');
  expect(offlineSeconds(strip)).toBe(2520);
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
