import { expect, test } from 'vitest';
import { dayStrip } from './day-strip.ts';

const DAY = Date.parse('2026-07-17T00:00:00.000Z');
const HOUR = 3_600_000;
const at = (hours: number) => DAY + hours * HOUR;
const outage = (from: number, to: number | null) => ({ from: at(from), to: to && at(to) });
const gap = (from: number, to: number) => ({ from: at(from), to: at(to) });
const usual = { outages: [], gaps: [], joinedAt: DAY - 999 * HOUR, first: DAY, until: at(60) };

test('an outage counts in each day that it touches, and one that lasts until now', () => {
  const outages = [outage(59, null), outage(23, 26), outage(-5, 1)];
  expect(dayStrip({ ...usual, outages })).toEqual({
    first: '2026-07-17',
    offline: [2 * 3600, 2 * 3600, 3600],
    before: 0,
    unmeasured: {},
  });
});

test('what was not measured is no time offline, and a day without measurements has none', () => {
  const outages = [outage(20, 50)];
  const gaps = [gap(22, 48.5)];
  expect(dayStrip({ ...usual, outages, gaps })).toMatchObject({
    offline: [2 * 3600, null, 1.5 * 3600],
    unmeasured: { 0: 2 * 3600, 1: 24 * 3600, 2: 1800 },
  });
});

test('days before a node joined are no days without measurements', () => {
  const gaps = [gap(-50, 30)];
  const joined = dayStrip({ ...usual, gaps, joinedAt: at(29) });
  expect(joined).toMatchObject({ offline: [null, 0, 0], before: 1, unmeasured: { 1: 3600 } });
  // Joined in the last minute of the first day, and that minute was not measured.
  expect(dayStrip({ ...usual, gaps: [gap(0, 24)], joinedAt: at(23.99) })).toMatchObject({
    offline: [null, 0, 0],
    before: 0,
    unmeasured: { 0: 36 },
  });
});

test('a day that begins at this moment has nothing offline yet', () => {
  expect(dayStrip({ ...usual, until: at(24) })).toMatchObject({ offline: [0] });
  expect(dayStrip({ ...usual, until: at(24) + 1 })).toMatchObject({ offline: [0, 0] });
});
