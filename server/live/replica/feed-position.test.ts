import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FeedPosition, GIVE_UP_MS } from './feed-position.ts';
import { rounds } from '../../../test/support/rounds.ts';

const POLL_MS = 1000;

describe('the position in another server’s feed', () => {
  test('every record is read once, whenever and in whatever order the groups commit', () => {
    // For each group: how long after the one before it starts, and how long it takes; null: it never commits.
    const groups = fc.array(
      fc.record({
        startsAfter: fc.nat(3000),
        takes: fc.option(
          fc.oneof({ weight: 8, arbitrary: fc.nat(2500) }, fc.nat(GIVE_UP_MS - 20_000)),
        ),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(groups, (groups) => {
        let clock = 0;
        const committed = groups.flatMap(({ startsAfter, takes }, index) => {
          clock += startsAfter;
          return takes === null ? [] : [{ n: index + 1, at: clock + takes }];
        });
        const end = Math.max(0, ...committed.map(({ at }) => at)) + 30_000;
        const position = new FeedPosition();
        const read: number[] = [];
        for (let now = 0; now <= end; now += POLL_MS) {
          const { top } = position;
          const wanted = new Set(position.wanted(now));
          const found = committed.filter(({ n, at }) => at <= now && (n > top || wanted.has(n)));
          // A database may return them in any order.
          for (const { n } of found.reverse()) if (position.accept(n, now)) read.push(n);
        }
        expect(read.sort((a, b) => a - b)).toEqual(committed.map(({ n }) => n));
      }),
      { numRuns: rounds(100) },
    );
  });

  test('a record that was read before is not new', () => {
    const position = new FeedPosition();
    expect([1, 2, 2, 1].map((n) => position.accept(n, 0))).toEqual([true, true, false, false]);
  });

  test('a record is asked for until it must have failed', () => {
    const position = new FeedPosition();
    position.accept(1, 0);
    position.accept(3, 0);
    expect(position.wanted(0)).toEqual([2]);
    expect(position.wanted(GIVE_UP_MS)).toEqual([2]);
    expect(position.wanted(GIVE_UP_MS + 1)).toEqual([]);
    expect(position.missingCount).toBe(0);
  });
});
