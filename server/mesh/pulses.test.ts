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
  const sample = new PulseSample();
  for (let n = 0; n < 3333; n++) sample.add(heard(n, NOW), NOW);
  sample.add(heard(5000, NOW, NOW), NOW);
  for (let n = 0; n < 3333; n++) sample.add(heard(n, NOW), NOW + 1);
  const pulses = sample.between(NOW - 1000, NOW + 1);
  expect(pulses).toHaveLength(PULSES_MAX);
  expect(pulses[0]).toEqual([5000, 0, 'EU', 0, 'n5000']);
  expect(new Set(pulses.map(([lat]) => lat)).size).toBe(PULSES_MAX);
});

test('a heartbeat is shown in one change, and only while it is news', () => {
  const sample = new PulseSample();
  sample.add(heard(1, NOW), NOW);
  expect(sample.between(NOW - 1, NOW)).toHaveLength(1);
  expect(sample.between(NOW, NOW + 1000)).toEqual([]);
  sample.add(heard(2, NOW - 60_000), NOW + 1);
  expect(sample.between(NOW, NOW + 1000)).toEqual([]);
});
