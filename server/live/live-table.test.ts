import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LiveTable } from './live-table.ts';

const version = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  rev: fc.integer({ min: 1, max: 8 }),
});

test('rows applied in any order, any number of times, end in the same state', () => {
  fc.assert(
    fc.property(
      fc
        .uniqueArray(version, { selector: ({ id, rev }) => `${id}${rev}`, minLength: 1 })
        .chain((rows) =>
          fc.record({
            rows: fc.constant(rows),
            // Every row at least once, some twice, in two different orders.
            one: fc.shuffledSubarray([...rows, ...rows], { minLength: rows.length * 2 }),
            other: fc.shuffledSubarray([...rows, ...rows.slice(1)], {
              minLength: rows.length * 2 - 1,
            }),
          }),
        ),
      ({ rows, one, other }) => {
        const state = (order: typeof rows) => {
          const table = new LiveTable<{ id: string; rev: number }>();
          const seen = new Map<string, number>();
          table.follow((row, before) => {
            expect(before?.rev, 'the row that the listener gets as the one before').toBe(
              seen.get(row.id),
            );
            expect(row.rev).toBeGreaterThan(before?.rev ?? 0);
            seen.set(row.id, row.rev);
          });
          for (const row of order) table.apply([row]);
          const held = [...table.rows()].map(({ id, rev }) => `${id}${rev}`).sort();
          expect([...seen].map(([id, rev]) => `${id}${rev}`).sort()).toEqual(held);
          return held;
        };
        const newest = new Map<string, number>();
        for (const { id, rev } of rows) newest.set(id, Math.max(rev, newest.get(id) ?? 0));
        const expected = [...newest].map(([id, rev]) => `${id}${rev}`).sort();
        expect(state(one)).toEqual(expected);
        expect(state(other)).toEqual(expected);
      },
    ),
    { numRuns: 1000 },
  );
});

test('a table finds what has changed since any of its versions', () => {
  const step = fc.oneof(version, fc.record({ touch: fc.constantFrom('a', 'b', 'c', 'd') }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.nat(30), (steps, cut) => {
      const table = new LiveTable<{ id: string; rev: number }>();
      const changed = new Set<string>();
      let since = 0;
      steps.forEach((given, at) => {
        if (at === cut) since = table.version;
        const before = table.version;
        if ('touch' in given) table.touch(given.touch);
        else table.apply([given]);
        if (at >= cut && table.version > before)
          changed.add('touch' in given ? given.touch : given.id);
      });
      if (cut >= steps.length) since = table.version;
      const found = table.changedSince(since, (_, isChanged) => isChanged).map(({ id }) => id);
      expect(found.sort()).toEqual([...changed].sort());
    }),
    { numRuns: 1000 },
  );
});
