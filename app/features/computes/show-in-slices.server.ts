import type { DirectoryList } from '#server/computes/index.ts';
import type { DirectoryQuery, NodeOf } from './directory-query.ts';
import { createSelection, createTotals, orderOf } from './select-computes.ts';

/** What `showDirectory` returns, made in slices. */
export async function showInSlices(
  { each, sort }: Pick<DirectoryList, 'each' | 'sort'>,
  query: DirectoryQuery,
  nodeOf: NodeOf,
) {
  const [totals, foundTotals] = [createTotals(), createTotals()];
  const { add, found, facets } = createSelection(query, nodeOf);
  await each((row) => {
    totals.add(row);
    if (add(row)) foundTotals.add(row);
  });
  const sorted = await sort(found, orderOf(query));
  return {
    totals: totals.get(),
    found: foundTotals.get(),
    facets,
    rows: sorted.map(({ row }) => row),
  };
}
