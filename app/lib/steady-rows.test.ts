import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { steadyRows } from './steady-rows.ts';

const row = (id: string, value = 0) => ({ id, value });
const rows = (ids: string) => [...ids].map((id) => row(id));
const steady = (shown: string, fresh: string) =>
  steadyRows(rows(shown), rows(fresh), () => undefined);
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id).join('');

describe('a list in use', () => {
  test.each([
    ['abcd', 'abcd', 0],
    ['abcd', 'bcda', 1],
    ['abcd', 'dcba', 3],
    ['abcd', 'abxcd', 1],
    ['abcd', 'acd', 1],
    ['abcd', 'xdabc', 2],
    ['', 'ab', 2],
  ])('%s stays though it would be %s: %i changes', (shown, fresh, changes) => {
    const result = steady(shown, fresh);
    expect(idsOf(result.rows)).toBe(shown);
    expect(result.changes).toBe(changes);
  });

  test('shows the values of now, of rows that a filter leaves out by now too', () => {
    const shown = [row('a', 1), row('b', 1), row('c', 1)];
    const fresh = [row('b', 2), row('a', 3)];
    const current = (id: string) => (id === 'c' ? row('c', 4) : undefined);
    expect(steadyRows(shown, fresh, current).rows).toEqual([row('a', 3), row('b', 2), row('c', 4)]);
    // A row that is gone keeps its last values.
    expect(steadyRows(shown, fresh, () => undefined).rows[2]).toEqual(row('c', 1));
  });

  test('has no changes exactly if the order is the same', () => {
    const ids = fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e']).map((list) => list.join(''));
    fc.assert(
      fc.property(ids, ids, (shown, fresh) => {
        expect(steady(shown, fresh).changes === 0).toBe(shown === fresh);
      }),
    );
  });
});
