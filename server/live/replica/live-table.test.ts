import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
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
          table.follow({
            changed(row, before) {
              expect(before?.rev, 'the row that the listener gets as the one before').toBe(
                seen.get(row.id),
              );
              expect(row.rev).toBeGreaterThan(before?.rev ?? 0);
              seen.set(row.id, row.rev);
            },
            removed: () => expect.fail('a row was removed'),
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

test.each([
  ['a load ends with what the database holds, whatever was held before and is written meanwhile'],
  ['so does that of a table that leaves some rows to the database', ({ value }) => value % 3 !== 0],
] as [string, ((row: { value: number }) => boolean)?][])('%s', (_, holds) => {
  const belongs = holds ?? (() => true);
  interface Row {
    id: string;
    rev: number;
    value: number;
  }
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const rows = fc
    .uniqueArray(version, { selector: ({ id }) => id })
    .map((found) => found.map((row, n): Row => ({ ...row, value: -n })));
  const step = fc.oneof(
    // Someone writes a row; we hear of it at once, or after `delay` more steps, and perhaps twice.
    fc.record({
      write: fc.constantFrom(...ids),
      delay: fc.constantFrom(0, 0, 1, 3, 100),
      twice: fc.boolean(),
    }),
    // The next rows of the table are read; the answer takes `delay` more steps, in which nothing else is read.
    fc.record({ read: fc.constant(2), delay: fc.nat(3) }),
  );
  fc.assert(
    fc.property(rows, rows, fc.array(step, { maxLength: 30 }), (held, stored, steps) => {
      const table = new LiveTable<Row>(holds);
      const followed = new Map<string, Row>();
      table.follow({
        changed(row, before) {
          expect(before).toEqual(followed.get(row.id));
          followed.set(row.id, row);
        },
        removed(row) {
          expect(row).toEqual(followed.get(row.id));
          followed.delete(row.id);
        },
      });
      const first = held.filter(belongs);
      table.apply(first);
      const seen = table.version;
      const before = new Set(first.map(({ id }) => id));

      const database = new Map(stored.map((row) => [row.id, row]));
      let value = 1;
      let after = '';
      let due: { at: number; run: () => void }[] = [];
      let page: { at: number; rows: Row[] } | undefined;
      const read = (count: number, at: number) => {
        const rows = [...database.values()]
          .filter((row) => row.id > after && belongs(row))
          .sort((a, b) => (a.id < b.id ? -1 : 1))
          .slice(0, count);
        after = rows.at(-1)?.id ?? '~';
        page = { at, rows };
      };
      const deliver = () => {
        if (page) table.load(page.rows);
        page = undefined;
      };
      table.beginLoad();
      steps.forEach((given, at) => {
        if (page && page.at <= at) deliver();
        due = due.filter((event) => event.at > at || event.run());
        if ('read' in given) {
          if (!page) read(given.read, at + given.delay);
          return;
        }
        const id = given.write;
        const row = { id, rev: (database.get(id)?.rev ?? 0) + 1, value: value++ };
        database.set(id, row);
        if (given.delay === 0) table.apply([row]);
        else due.push({ at: at + given.delay, run: () => table.apply([row]) });
        if (given.twice) due.push({ at: at + 5, run: () => table.apply([row]) });
      });
      deliver();
      read(ids.length, 0);
      deliver();
      // Some of what is still due comes in between.
      for (const _ of table.endLoad()) due.shift()?.run();
      due.forEach(({ run }) => run());

      for (const row of database.values()) if (!belongs(row)) database.delete(row.id);
      expect([...followed].sort()).toEqual([...database].sort());
      expect([...table.rows()].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
        [...database.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
      );
      const removed = table.removedSince(seen)?.map(({ id }) => id);
      const gone = [...before].filter((id) => !database.has(id));
      // A table that holds only some rows remembers none that has left.
      if (holds) expect(removed === undefined || gone.length === 0).toBe(true);
      else expect(removed?.sort()).toEqual(gone.sort());
      for (const row of first) {
        const now = database.get(row.id);
        const changed = table.changedSince(seen, ({ id }, is) => is && id === row.id).length > 0;
        expect(changed).toBe(now !== undefined && (now.rev !== row.rev || now.value !== row.value));
      }
    }),
    { numRuns: 2000 },
  );
});

test('a version that is not newer but differs is doubtful; one that is the same is not', () => {
  const table = new LiveTable<{ id: string; rev: number; value: number }>();
  table.apply([
    { id: 'a', rev: 3, value: 3 },
    { id: 'b', rev: 3, value: 3 },
    { id: 'c', rev: 3, value: 3 },
  ]);
  table.apply([
    { id: 'a', rev: 2, value: 2 },
    { id: 'b', rev: 3, value: 4 },
    { id: 'c', rev: 3, value: 3 },
  ]);
  expect(table.takeDoubtful()).toEqual(['a', 'b']);
  expect(table.takeDoubtful()).toEqual([]);
});

describe('a row that was deleted from the database', () => {
  const row = (rev: number) => ({ id: 'a', rev });
  const held = (table: LiveTable<{ id: string; rev: number }>) => table.get('a')?.rev;

  test('stays away when older versions come in late, and comes back with a newer one', () => {
    const table = new LiveTable<{ id: string; rev: number }>();
    table.apply([row(3)]);
    table.delete([row(3)]);
    table.apply([row(2), row(3)]);
    expect(held(table)).toBeUndefined();
    table.apply([row(4)]);
    expect(held(table)).toBe(4);
    // The deletion becomes known again, after the row came back.
    table.delete([row(3)]);
    expect(held(table)).toBe(4);
  });

  test('is gone whether the deletion becomes known before or after its last versions', () => {
    const table = new LiveTable<{ id: string; rev: number }>();
    table.apply([row(1)]);
    table.delete([row(3)]);
    table.apply([row(2), row(3)]);
    expect(held(table)).toBeUndefined();
    expect(table.takeDoubtful()).toEqual(['a']);
  });

  test('does not come back by a load that had read it before', () => {
    const table = new LiveTable<{ id: string; rev: number }>();
    table.apply([row(3)]);
    table.beginLoad();
    table.delete([row(3)]);
    table.load([row(3)]);
    for (const _ of table.endLoad());
    expect(held(table)).toBeUndefined();
  });

  test('comes back by a later load: the database has lost the deletion', () => {
    const table = new LiveTable<{ id: string; rev: number }>();
    table.apply([row(3)]);
    table.delete([row(3)]);
    table.beginLoad();
    table.load([row(3)]);
    for (const _ of table.endLoad());
    expect(held(table)).toBe(3);
    table.apply([row(4)]);
    expect(held(table)).toBe(4);
  });
});
