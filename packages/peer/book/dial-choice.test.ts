import { expect, test } from 'vitest';
import { chooseDials, type Dialable } from './dial-choice.ts';

test('however many are chosen, each peer is looked at twice', () => {
  let looks = 0;
  const peers = Array.from({ length: 500 }, (_, n): Dialable => ({
    peer: `peer ${n}`,
    tried: n % 2 === 0,
    get groups() {
      looks++;
      return [`net ${n}`, `net ${n + 1}`];
    },
  }));
  const chosen = chooseDials(8, peers, ['peer 3'], new Set(), Math.random);
  expect(chosen).toHaveLength(8);
  expect(new Set(chosen.map(({ peer }) => peer)).size).toBe(8);
  expect(new Set(chosen.map(({ group }) => group)).size).toBe(8);
  expect(chosen[0]?.peer).toBe('peer 3');
  expect(looks).toBeLessThan(2 * peers.length);
});
