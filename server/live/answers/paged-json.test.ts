import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PagedJson } from './paged-json.ts';

interface Row {
  id: string;
  /** Its position in the order. */
  order: number;
  value: number;
  /** After this moment it counts as old. */
  freshUntil: number;
  hidden: boolean;
}

const ROWS = 400;
const orderOf = (n: number) => (n * 7919) % 100;
const compare = (a: Row, b: Row) => a.order - b.order || (a.id < b.id ? -1 : 1);

const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      n: fc.nat(ROWS - 1),
      value: fc.nat(),
      fresh: fc.nat(50),
      hidden: fc.boolean(),
      moves: fc.constantFrom(0, 0, 0, 0, 50),
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

test('the pages together are the JSON of the sorted list after any sequence of changes', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      const rows = new Map<string, Row>();
      // What a row shows may depend on something else, whose changes touch the row.
      const elsewhere = new Set<string>();
      const show = (row: Row, now: number) =>
        row.hidden || elsewhere.has(row.id)
          ? null
          : { id: row.id, value: row.value, old: now > row.freshUntil };
      const paged = new PagedJson<Row>({
        order: (row) => row.order,
        render(row, now, until) {
          if (now <= row.freshUntil) until(row.freshUntil);
          const shown = show(row, now);
          return shown && JSON.stringify(shown);
        },
      });
      const digests = new Map<string, string>();
      let now = 0;
      const read = () => {
        const view = paged.at(now);
        const json = `[${Buffer.concat(view.chunks).toString()}]`;
        const shown = [...rows.values()]
          .sort(compare)
          .map((row) => show(row, now))
          .filter((entry) => entry !== null);
        expect(json).toBe(JSON.stringify(shown));
        expect(view.bytes).toBe(json.length - 2);
        // The same rows, the same digests; other rows, others.
        const tag = view.digests.join();
        expect(digests.get(tag) ?? json).toBe(json);
        digests.set(tag, json);
        expect(paged.slice(3, 5).map(({ id }) => id)).toEqual(
          [...rows.values()]
            .sort(compare)
            .slice(3, 8)
            .map(({ id }) => id),
        );
        // Right until then: nothing changes with time before it.
        if (view.until !== Infinity)
          expect(
            [...rows.values()]
              .sort(compare)
              .map((row) => show(row, view.until))
              .filter((entry) => entry !== null),
          ).toEqual(shown);
      };
      const set = (n: number, value: number, fresh: number, hidden: boolean, moves = 0) => {
        const order = orderOf(n) + moves;
        const row = { id: `r${n}`, order, value, freshUntil: now + fresh, hidden };
        rows.set(row.id, row);
        paged.set(row);
      };
      for (const step of commands) {
        if (step.do === 'set') set(step.n, step.value, step.fresh, step.hidden, step.moves);
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
