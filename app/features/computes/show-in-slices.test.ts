import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { Slices, sortInSlices } from '#server/common/slices.ts';
import { anyCompute, anyQuery, compute, nodeOf } from '../../../test/support/computes.ts';
import { ALL } from './directory-query.ts';
import { showDirectory } from './select-computes.ts';
import { showInSlices } from './show-in-slices.server.ts';

const listOf = (computes: Iterable<Compute>) => ({
  each: (step: (row: Compute) => void) => new Slices().each(computes, step),
  sort: sortInSlices,
});

test('in slices, the server makes what the browser makes at once', () =>
  fc.assert(
    fc.asyncProperty(fc.array(anyCompute), anyQuery, async (rows, query) => {
      expect(await showInSlices(listOf(rows), query, nodeOf)).toEqual(
        showDirectory(rows, query, nodeOf),
      );
    }),
  ));

test('no turn of the event loop takes or sorts more than 500 rows of a large directory', async () => {
  let [taken, compared, mostTaken, mostCompared] = [0, 0, 0, 0];
  let watching = true;
  const count = () => {
    mostTaken = Math.max(mostTaken, taken);
    mostCompared = Math.max(mostCompared, compared);
    [taken, compared] = [0, 0];
    if (watching) setImmediate(count);
  };
  count();
  const rows = Array.from({ length: 5000 }, (_, n) => {
    const row = compute({ name: `c${(n * 2711) % 5000}` });
    const { name } = row;
    return Object.defineProperty(row, 'name', { get: () => (compared++, name) });
  });
  compared = 0;
  function* directory() {
    for (const row of rows) {
      taken++;
      yield row;
    }
  }
  const shown = await showInSlices(listOf(directory()), { ...ALL, sort: 'backend' }, nodeOf);
  watching = false;
  expect(shown.rows.map(({ name }) => name)).toEqual(rows.map(({ name }) => name).sort());
  expect(mostTaken).toBeLessThanOrEqual(500);
  // Two names are read to compare two rows, and sorting 500 takes less than ten comparisons a row.
  expect(mostCompared).toBeGreaterThan(0);
  expect(mostCompared).toBeLessThanOrEqual(2 * 10 * 500);
});
