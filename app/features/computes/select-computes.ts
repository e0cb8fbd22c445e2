import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type {
  ComputeStatus,
  NodeClass,
  Visibility,
} from '@mesh-registry/protocol/values.schema.ts';
import { freeNow, SORT_VALUES, wordsOf, type DirectoryQuery } from './directory-query.ts';

/** For each value of a filter: how many rows match if only this value is chosen, with the other filters as they are. */
export interface Facets {
  status: Record<ComputeStatus, number>;
  visibility: Record<Visibility, number>;
  class: Record<NodeClass, number>;
  backend: Record<string, number>;
}

/** Filters and sorts the directory: all matching rows, in the query's order. It ignores the query's page. */
export function selectComputes(computes: Iterable<Compute>, query: DirectoryQuery) {
  const words = wordsOf(query.q.toLowerCase());
  const facets: Facets = {
    status: { available: 0, busy: 0, offline: 0 },
    visibility: { public: 0, private: 0 },
    class: { S: 0, M: 0, L: 0 },
    // Hosts name their backends: `constructor` is a valid name.
    backend: Object.create(null) as Record<string, number>,
  };
  const rows: Compute[] = [];
  for (const row of computes) {
    if (query.free > 0 && freeNow(row) < query.free) continue;
    if (words.length > 0 && !hasWords(row, words)) continue;
    const status = anyOf(query.status, row.status);
    const visibility = anyOf(query.visibility, row.visibility);
    const size = anyOf(query.class, row.class);
    const backend = query.backend === '' || query.backend === row.backend;
    const passed = Number(status) + Number(visibility) + Number(size) + Number(backend);
    if (passed < 3) continue;
    if (passed === 4) rows.push(row);
    if (passed === 4 || !status) facets.status[row.status]++;
    if (passed === 4 || !visibility) facets.visibility[row.visibility]++;
    if (passed === 4 || !size) facets.class[row.class]++;
    if (passed === 4 || !backend)
      facets.backend[row.backend] = (facets.backend[row.backend] ?? 0) + 1;
  }
  return { rows: sorted(rows, query), facets };
}

const anyOf = <T>(chosen: readonly T[], value: T) => chosen.length === 0 || chosen.includes(value);

function hasWords({ name, nodeId, label, image }: Compute, words: string[]): boolean {
  // Words have no line breaks, so none matches across two fields.
  const text = `${name}\n${nodeId}\n${label}\n${image}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Rows with the same value are in the order of their names, in either direction. */
function sorted(rows: Compute[], { sort, descending }: DirectoryQuery): Compute[] {
  const valueOf: (row: Compute) => string | number = SORT_VALUES[sort];
  const direction = descending ? -1 : 1;
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  return rows
    .map((row) => ({ row, value: valueOf(row) }))
    .sort(
      (a, b) =>
        direction * compare(a.value, b.value) ||
        compare(a.row.name, b.row.name) ||
        compare(a.row.id, b.row.id),
    )
    .map(({ row }) => row);
}

export type Totals = ReturnType<typeof totalsOf>;

/** Counts as the API does: only available rows have free slots. */
export function totalsOf(rows: Iterable<Compute>) {
  const nodes = new Set<string>();
  const totals = { total: 0, available: 0, busy: 0, offline: 0, replicas: 0, freeSlots: 0 };
  for (const row of rows) {
    totals.total++;
    totals[row.status]++;
    totals.replicas += row.replicas;
    totals.freeSlots += freeNow(row);
    nodes.add(row.nodeId);
  }
  return { ...totals, nodes: nodes.size };
}

/** What the page shows of the directory: the same on the server and in the browser. */
export function showDirectory(computes: Iterable<Compute>, query: DirectoryQuery) {
  const { rows, facets } = selectComputes(computes, query);
  return { totals: totalsOf(computes), found: totalsOf(rows), facets, rows };
}
