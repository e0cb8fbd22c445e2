import fc from 'fast-check';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { GroupWriter } from '#server/live/group-writer.ts';
import { PagedJson } from '#server/live/paged-json.ts';
import { LiveTable } from '#server/live/live-table.ts';

interface Row {
  id: string;
  /** Its place in the order; a row keeps it for life. */
  order: number;
  value: number;
  /** After this moment it shows itself as old. */
  freshUntil: number;
  hidden: boolean;
}
interface Tally {
  fresh: number;
  old: number;
  sum: number;
}

const ROWS = 400;
const orderOf = (n: number) => (n * 7919) % 100;
const compare = (a: Row, b: Row) => a.order - b.order || (a.id < b.id ? -1 : 1);

describe('the JSON in pages', () => {
  const command = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('set' as const),
        n: fc.nat(ROWS - 1),
        value: fc.nat(),
        fresh: fc.nat(50),
        hidden: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('fill' as const),
        n: fc.nat(ROWS - 1),
        count: fc.nat(300),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('delete' as const), n: fc.nat(ROWS - 1) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('touch' as const),
        n: fc.nat(ROWS - 1),
        hidden: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(40) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const) }) },
  );

  it('equals the JSON of the sorted list, with its tallies, after any sequence of changes', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const rows = new Map<string, Row>();
        // What a row shows may depend on something outside of it: then it is touched.
        const elsewhere = new Set<string>();
        const show = (row: Row, now: number) =>
          row.hidden || elsewhere.has(row.id)
            ? null
            : { id: row.id, value: row.value, old: now > row.freshUntil };
        const paged = new PagedJson<Row, Tally>({
          compare,
          tally: () => ({ fresh: 0, old: 0, sum: 0 }),
          render(row, now, tally, until) {
            if (now <= row.freshUntil) until(row.freshUntil);
            const shown = show(row, now);
            if (!shown) return null;
            tally[shown.old ? 'old' : 'fresh']++;
            tally.sum += row.value;
            return JSON.stringify(shown);
          },
        });
        let now = 0;
        const read = () => {
          const view = paged.at(now);
          const json = `[${Buffer.concat(view.chunks).toString()}]`;
          const shown = [...rows.values()]
            .sort(compare)
            .map((row) => show(row, now))
            .filter((entry) => entry !== null);
          expect(json).toBe(JSON.stringify(shown));
          expect(view.count).toBe(shown.length);
          expect(view.bytes).toBe(json.length - 2);
          const sum = (key: keyof Tally) =>
            view.tallies.reduce((total, tally) => total + tally[key], 0);
          expect(sum('old')).toBe(shown.filter(({ old }) => old).length);
          expect(sum('fresh')).toBe(shown.filter(({ old }) => !old).length);
          expect(sum('sum')).toBe(shown.reduce((total, { value }) => total + value, 0));
          expect(paged.slice(3, 5).map(({ id }) => id)).toEqual(
            [...rows.values()]
              .sort(compare)
              .slice(3, 8)
              .map(({ id }) => id),
          );
          // It holds until then, if no row changes: the next difference lies later.
          if (view.until !== Infinity)
            expect(
              [...rows.values()]
                .sort(compare)
                .map((row) => show(row, view.until))
                .filter((entry) => entry !== null),
            ).toEqual(shown);
        };
        const set = (n: number, value: number, fresh: number, hidden: boolean) => {
          const row = { id: `r${n}`, order: orderOf(n), value, freshUntil: now + fresh, hidden };
          rows.set(row.id, row);
          paged.set(row);
        };
        for (const step of commands) {
          if (step.do === 'set') set(step.n, step.value, step.fresh, step.hidden);
          if (step.do === 'fill')
            for (let n = 0; n < step.count; n++) set((step.n + n) % ROWS, n, n % 60, n % 9 === 0);
          if (step.do === 'delete') {
            rows.delete(`r${step.n}`);
            paged.delete(`r${step.n}`);
          }
          if (step.do === 'touch') {
            if (step.hidden) elsewhere.add(`r${step.n}`);
            else elsewhere.delete(`r${step.n}`);
            paged.touch(`r${step.n}`);
          }
          if (step.do === 'pass') now += step.ms;
          if (step.do === 'read') read();
        }
        read();
      }),
      { numRuns: 300 },
    );
  });
});

describe('a table of the read model', () => {
  const version = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    rev: fc.integer({ min: 1, max: 8 }),
  });

  it('ends in the same state whatever the order and repetition of what it takes over', () => {
    fc.assert(
      fc.property(
        fc
          .uniqueArray(version, { selector: ({ id, rev }) => `${id}${rev}`, minLength: 1 })
          .chain((rows) =>
            fc.record({
              rows: fc.constant(rows),
              // Every row at least once, some twice, in two other orders.
              one: fc.shuffledSubarray([...rows, ...rows], { minLength: rows.length * 2 }),
              other: fc.shuffledSubarray([...rows, ...rows.slice(1)], {
                minLength: rows.length * 2 - 1,
              }),
            }),
          ),
        ({ rows, one, other }) => {
          const state = (order: typeof rows) => {
            const table = new LiveTable<{ id: string; rev: number }>();
            const told = new Map<string, number>();
            table.follow((row, before) => {
              expect(before?.rev, 'what a listener is told came before').toBe(told.get(row.id));
              expect(row.rev).toBeGreaterThan(before?.rev ?? 0);
              told.set(row.id, row.rev);
            });
            for (const row of order) table.apply([row]);
            const held = [...table.rows()].map(({ id, rev }) => `${id}${rev}`).sort();
            expect([...told].map(([id, rev]) => `${id}${rev}`).sort()).toEqual(held);
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

  it('knows what changed since any of its versions', () => {
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
});

describe('the grouped writer', () => {
  it('answers every write once with its own result, one group at a time, and errors reach only their own group', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          maxGroup: fc.integer({ min: 1, max: 7 }),
          maxWaiting: fc.integer({ min: 1, max: 30 }),
          // How many writes arrive in each turn of the event loop.
          arrivals: fc.array(fc.nat(12), { maxLength: 20 }),
          // Of each group in turn: how many turns it takes, and whether it fails.
          groups: fc.array(
            fc.record({ turns: fc.nat(4), fails: fc.boolean(), throws: fc.boolean() }),
            { minLength: 1, maxLength: 12 },
          ),
        }),
        async ({ maxGroup, maxWaiting, arrivals, groups }) => {
          let underWay = 0;
          let commits = 0;
          const groupOf = new Map<number, number>();
          const failed = new Set<number>();
          const sizes: number[] = [];
          const writer = new GroupWriter<number, string>({
            maxGroup,
            maxWaiting,
            overflow: () => new Error('overflow'),
            onGroup: (size) => sizes.push(size),
            commit(items) {
              const n = commits++;
              const plan = groups[n % groups.length] ?? { turns: 0, fails: false, throws: false };
              expect(underWay++, 'groups under way at once').toBe(0);
              expect(items.length).toBe(sizes[n]);
              expect(items.length).toBeLessThanOrEqual(maxGroup);
              for (const item of items) {
                expect(groupOf.has(item), 'an item in two groups').toBe(false);
                groupOf.set(item, n);
              }
              if (plan.fails) failed.add(n);
              if (plan.fails && plan.throws) {
                underWay--;
                throw new Error(`group ${n}`);
              }
              return (async () => {
                for (let at = 0; at < plan.turns; at++) await turn();
                underWay--;
                if (plan.fails) throw new Error(`group ${n}`);
                return items.map((item) => `${item} in ${n}`);
              })();
            },
          });
          let next = 0;
          const answers: Promise<void>[] = [];
          const answered: number[] = [];
          for (const count of arrivals) {
            for (let n = 0; n < count; n++) {
              const item = next++;
              answers.push(
                writer.write(item).then(
                  (result) => {
                    answered.push(item);
                    expect(result).toBe(`${item} in ${groupOf.get(item)}`);
                    expect(failed.has(groupOf.get(item) ?? -1)).toBe(false);
                  },
                  (error: Error) => {
                    answered.push(item);
                    const group = groupOf.get(item);
                    expect(error.message).toBe(group === undefined ? 'overflow' : `group ${group}`);
                    if (group !== undefined) expect(failed.has(group)).toBe(true);
                  },
                ),
              );
            }
            await turn();
          }
          await writer.drain();
          await turn();
          // After the drain nothing is under way, and everybody has an answer.
          expect(underWay).toBe(0);
          expect(answered.length).toBe(next);
          expect(new Set(answered).size).toBe(next);
          await Promise.all(answers);
          // It works on after a failure.
          groups.splice(0, groups.length, { turns: 0, fails: false, throws: false });
          expect(await writer.write(-1)).toContain('-1 in');
        },
      ),
      { numRuns: 200 },
    );
  });
});
