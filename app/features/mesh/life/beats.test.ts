import { expect, test } from 'vitest';
import { barsPath, BARS, BeatLog, beatsText } from './beats.ts';

const NOW = 1_800_000_000_000;
const known = (log: BeatLog, now: number, live = true) =>
  log.at(now, live).filter((n) => n !== null);

test('a change a second is a bar a second, however unevenly they come', () => {
  const log = new BeatLog([7], NOW);
  [1003, 2002, 3010, 4020].forEach((after, n) => log.add(n + 1, NOW + after));
  expect(known(log, NOW + 4500)).toEqual([7, 1, 2, 3, 4]);
  expect(log.at(NOW, true)).toHaveLength(BARS);
});

test('seconds without a change had no heartbeat, also those since the last one', () => {
  const log = new BeatLog([5], NOW);
  log.add(2, NOW + 3000);
  expect(known(log, NOW + 3900)).toEqual([5, 0, 0, 2]);
  expect(known(log, NOW + 6000)).toEqual([5, 0, 0, 2, 0, 0]);
});

test('what could not be heard of is not known, and no zero', () => {
  const log = new BeatLog([5], NOW);
  expect(known(log, NOW + 30_000, false)).toEqual([5]);
  log.add(null, NOW + 10_000);
  log.add(3, NOW + 11_000);
  expect(known(log, NOW + 11_000)).toEqual([5, 3]);
  expect(log.at(NOW + 11_000, true).slice(-12)).toEqual([5, ...Array<null>(10).fill(null), 3]);
  // After more than a minute nothing is left of what was before.
  log.add(1, NOW + 500_000);
  expect(known(log, NOW + 500_000)).toEqual([...Array<number>(59).fill(0), 1]);
});

test.each([
  [[31, 31, 31], '31'],
  [[1, 0, 0, 0], '0.25'],
  [[1], '1'],
  [[9.96, 9.96], '10'],
  [[3333], '3,333'],
  [[null, 4], '4'],
  [[0], '0'],
  [[null], null],
])('of %j a second the mean is %s', (bars, text) => expect(beatsText(bars)).toBe(text));

test('a second with a heartbeat is higher than one without, and one that is not known is nothing', () => {
  expect(barsPath([null, 0, 1])).toBe('M4 20v-1M7 20v-20');
});
