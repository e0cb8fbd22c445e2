import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type {
  ComputeStatus,
  NodeClass,
  Visibility,
} from '@mesh-registry/protocol/values.schema.ts';
import {
  freeNow,
  SORT_VALUES,
  wordsOf,
  type DirectoryQuery,
  type NodeOf,
} from './directory-query.ts';

/** For each value of a filter: how many rows match if only this value is chosen, with the other filters as they are. */
export interface Facets {
  status: Record<ComputeStatus, number>;
  visibility: Record<Visibility, number>;
  class: Record<NodeClass, number>;
  region: Record<string, number>;
  backend: Record<string, number>;
}

/** A row, and what it is sorted by. */
interface Sortable {
  row: Compute;
  value: string | number;
}

/** Chooses rows one by one. It ignores the query's page. */
export function createSelection(query: DirectoryQuery, nodeOf: NodeOf) {
  const words = wordsOf(query.q.toLowerCase());
  const facets: Facets = {
    status: { available: 0, busy: 0, offline: 0 },
    visibility: { public: 0, private: 0 },
    class: { S: 0, M: 0, L: 0 },
    region: Object.create(null) as Record<string, number>,
    // Hosts name their backends: `constructor` is a valid name.
    backend: Object.create(null) as Record<string, number>,
  };
  const valueOf: (row: Compute, node: ReturnType<NodeOf>) => string | number =
    SORT_VALUES[query.sort];
  const found: Sortable[] = [];
  /** @returns whether the row matches */
  function add(row: Compute): boolean {
    if (query.free > 0 && freeNow(row) < query.free) return false;
    if (words.length > 0 && !hasWords(row, words)) return false;
    const node = nodeOf(row.nodeId);
    if (query.uptime > 0 && (node.uptime ?? -1) * 100 < query.uptime) return false;
    const status = anyOf(query.status, row.status);
    const visibility = anyOf(query.visibility, row.visibility);
    const size = anyOf(query.class, row.class);
    const backend = query.backend === '' || query.backend === row.backend;
    const region = query.region === '' || query.region === node.region;
    const failed = [status, visibility, size, backend, region].filter((passed) => !passed).length;
    if (failed > 1) return false;
    const all = failed === 0;
    if (all) found.push({ row, value: valueOf(row, node) });
    if (all || !status) facets.status[row.status]++;
    if (all || !visibility) facets.visibility[row.visibility]++;
    if (all || !size) facets.class[row.class]++;
    if (all || !backend) facets.backend[row.backend] = (facets.backend[row.backend] ?? 0) + 1;
    if (all || !region) facets.region[node.region] = (facets.region[node.region] ?? 0) + 1;
    return all;
  }
  return { add, found, facets };
}

/** Filters and sorts the directory: all matching rows, in the query's order. */
export function selectComputes(computes: Iterable<Compute>, query: DirectoryQuery, nodeOf: NodeOf) {
  const { add, found, facets } = createSelection(query, nodeOf);
  for (const row of computes) add(row);
  return { rows: found.sort(orderOf(query)).map(({ row }) => row), facets };
}

const anyOf = <T>(chosen: readonly T[], value: T) => chosen.length === 0 || chosen.includes(value);

function hasWords({ name, nodeId, label, image }: Compute, words: string[]): boolean {
  // Words have no line breaks, so none matches across two fields.
  const text = `${name}\n${nodeId}\n${label}\n${image}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Rows with the same value are in the order of their names, in either direction. */
export function orderOf({ descending }: DirectoryQuery) {
  const direction = descending ? -1 : 1;
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  return (a: Sortable, b: Sortable) =>
    direction * compare(a.value, b.value) ||
    compare(a.row.name, b.row.name) ||
    compare(a.row.id, b.row.id);
}

export type Totals = ReturnType<typeof totalsOf>;

/** Counts as the API does: only available rows have free slots. */
export function createTotals() {
  const nodes = new Set<string>();
  const totals = { total: 0, available: 0, busy: 0, offline: 0, replicas: 0, freeSlots: 0 };
  return {
    add(row: Compute): void {
      totals.total++;
      totals[row.status]++;
      totals.replicas += row.replicas;
      totals.freeSlots += freeNow(row);
      nodes.add(row.nodeId);
    },
    get: () => ({ ...totals, nodes: nodes.size }),
  };
}

export function totalsOf(rows: Iterable<Compute>) {
  const totals = createTotals();
  for (const row of rows) totals.add(row);
  return totals.get();
}

/** What the page shows of the directory in the browser; the server makes the same in slices. */
export function showDirectory(computes: Iterable<Compute>, query: DirectoryQuery, nodeOf: NodeOf) {
  const { rows, facets } = selectComputes(computes, query, nodeOf);
  return { totals: totalsOf(computes), found: totalsOf(rows), facets, rows };
}
