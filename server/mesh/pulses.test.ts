import { expect, test } from 'vitest';
import type { PeerRow } from '#db/schema/index.ts';
import { PULSES_MAX } from './places.schema.ts';
import { PulseSample } from './pulses.ts';

const NOW = 1_700_000_000_500;

const heard = (n: number, at: number, joinedAt = 0) =>
  ({
    ...{ id: `n${n}`, label: null, class: 'S', region: 'EU', status: 'online', lat: n, lng: 0 },
    ...{ joinedAt: new Date(joinedAt), lastSeen: new Date(at), rev: 1 },
  }) as PeerRow;

test('of any number of heartbeats, eight places are shown, and new nodes before others', () => {
  const sample = new PulseSample(NOW - 10_000, 0.5);
  for (let n = 0; n < 3333; n++) sample.add(heard(n, NOW), NOW);
  sample.add(heard(5000, NOW, NOW), NOW);
  for (let n = 0; n < 3333; n++) sample.add(heard(n, NOW), NOW + 1);
  const pulses = sample.between(NOW - 1000, NOW + 1);
  expect(pulses).toHaveLength(PULSES_MAX);
  expect(pulses[0]).toEqual([5000, 0, 'EU', 0, 'n5000']);
  expect(new Set(pulses.map(([lat]) => lat)).size).toBe(PULSES_MAX);
});

test('a heartbeat is shown in one change, and only while it is news', () => {
  const sample = new PulseSample(NOW - 10_000, 0.5);
  sample.add(heard(1, NOW), NOW);
  expect(sample.between(NOW - 1, NOW)).toHaveLength(1);
  expect(sample.between(NOW, NOW + 1000)).toEqual([]);
  sample.add(heard(2, NOW - 60_000), NOW + 1);
  expect(sample.between(NOW, NOW + 1000)).toEqual([]);
});

test('every heartbeat counts in its second, also those that are not shown', () => {
  const sample = new PulseSample(NOW - 3500, 0.5);
  for (let n = 0; n < 3333; n++) sample.add(heard(n, NOW - 1000), NOW);
  for (let n = 0; n < 7; n++) sample.add(heard(n, NOW, NOW), NOW + 400);
  expect(sample.beatsBetween(NOW - 1, NOW + 399)).toBe(3333);
  expect(sample.beatsBetween(NOW + 399, NOW + 400)).toBe(7);
  // Another server's are learnt of later, and belong to the second in which it received them.
  expect(sample.lastBeats(NOW + 1000)).toEqual([0, 0, 3333, 7]);
  // The second that has begun isn't over.
  expect(sample.lastBeats(NOW)).toEqual([0, 0, 3333]);
});

test('a minute is counted, and a client that was away hears no number of a second', () => {
  const sample = new PulseSample(NOW - 120_000, 0.5);
  sample.add(heard(1, NOW - 120_000), NOW - 120_000);
  sample.add(heard(1, NOW), NOW);
  expect(sample.lastBeats(NOW + 1000)).toEqual([...Array<number>(59).fill(0), 1]);
  expect(sample.beatsBetween(NOW - 30_000, NOW)).toBeNull();
  expect(sample.beatsBetween(NOW - 1000, NOW)).toBe(1);
});
