import { expect, test } from 'vitest';
import { historyOf } from './name-history.ts';

const at = (day: number, time = '12:00') =>
  `2026-11-${String(day).padStart(2, '0')}T${time}:00.000Z`;

test('a history is what happened since the activation, the newest first', () => {
  expect(
    historyOf({
      entry: { activatedAt: at(2) },
      compute: { firstSeen: at(4), image: 'alpine:3.20' },
      outages: {
        latest: [
          { from: at(9), to: null },
          { from: at(6, '14:02'), to: at(6, '14:44') },
        ],
      },
    }),
  ).toEqual([
    { at: at(9), text: 'Node offline' },
    { at: at(6, '14:44'), text: 'Node back online after 42 min' },
    { at: at(4), text: 'Offer announced: alpine:3.20' },
    { at: at(2), text: 'Active' },
  ]);
});

test('nothing from before the activation is in it', () => {
  expect(
    historyOf({
      entry: { activatedAt: at(8) },
      compute: { firstSeen: at(4), image: '' },
      outages: { latest: [{ from: at(7), to: null }] },
    }),
  ).toEqual([{ at: at(8), text: 'Active' }]);
});
