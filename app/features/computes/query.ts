import type { Compute, ComputeStats } from '#server/computes/computes.schema.ts';
import {
  COMPUTE_STATUSES,
  VISIBILITIES,
  type ComputeStatus,
  type Visibility,
} from '#server/computes/values.schema.ts';
import { NODE_CLASSES, type NodeClass } from '#server/common/values.schema.ts';

/**
 * What a reader asks of the compute directory: filters, order and page, as they stand in the URL. The
 * server answers with it and the open page filters with it, so the two can only agree.
 */

export const SORT_KEYS = [
  'name',
  'node',
  'image',
  'class',
  'backend',
  'visibility',
  'free',
  'status',
  'seen',
] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface DirectoryQuery {
  /** Words that name, node id, label or image must hold, all of them; case does not count. */
  q: string;
  /** Any of these; none stands for all. The same for the next two. */
  status: ComputeStatus[];
  visibility: Visibility[];
  class: NodeClass[];
  /** The one backend, or '' for all. */
  backend: string;
  /** Slots that are free now, at least. */
  free: number;
  sort: SortKey;
  descending: boolean;
  /** From 1; one that lies beyond the list counts as its last. */
  page: number;
}

/** Rows on a page of the list, where pages are needed. */
export const PAGE_ROWS = 100;
/** Longest text to search for: nothing that can be found is longer than an image. */
export const MAX_SEARCH = 255;
/** Most slots that a compute can announce. */
export const MAX_FREE = 1_000_000;

const UNFILTERED = {
  q: '',
  status: [] as ComputeStatus[],
  visibility: [] as Visibility[],
  class: [] as NodeClass[],
  backend: '',
  free: 0,
  page: 1,
};
export const ALL: DirectoryQuery = { ...UNFILTERED, sort: 'name', descending: false };

/** What makes no sense is as if it were not there: a link that somebody mistyped still shows the list. */
export function parseQuery(params: URLSearchParams): DirectoryQuery {
  const of = <T extends string>(name: string, values: readonly T[]): T[] => {
    const given = params.getAll(name);
    return values.filter((value) => given.includes(value));
  };
  const q = words(params.get('q') ?? '').join(' ');
  const backend = params.get('backend') ?? '';
  const sort = params.get('sort') ?? '';
  const key = SORT_KEYS.find((known) => known === sort.replace(/^-/, ''));
  return {
    q: q.length <= MAX_SEARCH ? q : '',
    status: of('status', COMPUTE_STATUSES),
    visibility: of('visibility', VISIBILITIES),
    class: of('class', NODE_CLASSES),
    backend: /^[a-z0-9._-]{1,32}$/.test(backend) ? backend : '',
    free: number(params.get('free'), 0, MAX_FREE),
    sort: key ?? 'name',
    descending: key !== undefined && sort.startsWith('-'),
    page: Math.max(1, number(params.get('page'), 1, 1_000_000)),
  };
}

function number(text: string | null, otherwise: number, max: number): number {
  const value = /^\d{1,7}$/.test(text ?? '') ? Number(text) : otherwise;
  return value <= max ? value : otherwise;
}

const words = (text: string) => text.trim().split(/\s+/).filter(Boolean);

/** '' or '?…', the same for queries that mean the same: what is as ever is left out. */
export function queryString(query: DirectoryQuery): string {
  const params = new URLSearchParams();
  if (query.q) params.set('q', query.q);
  const set = <T extends string>(name: string, values: readonly T[], chosen: readonly T[]) => {
    for (const value of values) if (chosen.includes(value)) params.append(name, value);
  };
  set('status', COMPUTE_STATUSES, query.status);
  set('visibility', VISIBILITIES, query.visibility);
  set('class', NODE_CLASSES, query.class);
  if (query.backend) params.set('backend', query.backend);
  if (query.free > 0) params.set('free', String(query.free));
  const order = sortParameter(query);
  if (order !== 'name') params.set('sort', order);
  if (query.page > 1) params.set('page', String(query.page));
  return params.size === 0 ? '' : `?${params.toString()}`;
}

/** `free`, or `-free` where the order is descending. */
export const sortParameter = ({ sort, descending }: DirectoryQuery) =>
  `${descending ? '-' : ''}${sort}`;

/** The same order without any filter. */
export const unfiltered = (query: DirectoryQuery): DirectoryQuery => ({ ...query, ...UNFILTERED });

/** How many of the filters are set, the search not counted. */
export const filterCount = ({ status, visibility, class: size, backend, free }: DirectoryQuery) =>
  [status.length, visibility.length, size.length, backend.length, free].filter((n) => n > 0).length;

/** With the value chosen, or no longer chosen where it was. A page number is of no use any more. */
export function toggled<Name extends 'status' | 'visibility' | 'class'>(
  query: DirectoryQuery,
  name: Name,
  value: DirectoryQuery[Name][number],
): DirectoryQuery {
  const chosen: readonly string[] = query[name];
  const others = chosen.filter((other) => other !== value);
  return {
    ...query,
    [name]: others.length < chosen.length ? others : [...chosen, value],
    page: 1,
  };
}

/** By this column; the other way round where it is so already. Most free and latest come first. */
export function sortedBy(query: DirectoryQuery, sort: SortKey): DirectoryQuery {
  const descending = query.sort === sort ? !query.descending : sort === 'free' || sort === 'seen';
  return { ...query, sort, descending, page: 1 };
}

/** For each value of a filter: the rows that choosing it alone would show, the other filters as they are. */
export interface Facets {
  status: Record<ComputeStatus, number>;
  visibility: Record<Visibility, number>;
  class: Record<NodeClass, number>;
  backend: Record<string, number>;
}

export interface Selection {
  /** In the query's order, all of them: pages are the caller's. */
  rows: Compute[];
  facets: Facets;
}

/** Free now: what an offline compute said last is no offer. */
export const freeNow = (row: Pick<Compute, 'status' | 'freeSlots'>) =>
  row.status === 'available' ? row.freeSlots : 0;

export function select(computes: Iterable<Compute>, query: DirectoryQuery): Selection {
  const wanted = words(query.q.toLowerCase());
  const facets: Facets = {
    status: { available: 0, busy: 0, offline: 0 },
    visibility: { public: 0, private: 0 },
    class: { S: 0, M: 0, L: 0 },
    // Backends are named by hosts: `constructor` is a name like any other.
    backend: Object.create(null) as Record<string, number>,
  };
  const rows: Compute[] = [];
  for (const row of computes) {
    if (query.free > 0 && freeNow(row) < query.free) continue;
    if (wanted.length > 0 && !holds(row, wanted)) continue;
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

function holds({ name, nodeId, label, image }: Compute, wanted: string[]): boolean {
  // No word holds a line break, so none can begin in one field and end in the next.
  const text = `${name}\n${nodeId}\n${label}\n${image}`.toLowerCase();
  return wanted.every((word) => text.includes(word));
}

const SORT_VALUE: Record<SortKey, (row: Compute) => string | number> = {
  name: ({ name }) => name,
  node: ({ label }) => label.toLowerCase(),
  image: ({ image }) => image.toLowerCase(),
  class: (row) => NODE_CLASSES.indexOf(row.class),
  backend: ({ backend }) => backend,
  visibility: (row) => VISIBILITIES.indexOf(row.visibility),
  free: freeNow,
  status: (row) => COMPUTE_STATUSES.indexOf(row.status),
  seen: ({ lastSeen }) => lastSeen,
};

/** Rows that are alike in what is sorted by are by name, whatever the direction. */
function sorted(rows: Compute[], { sort, descending }: DirectoryQuery): Compute[] {
  const value = SORT_VALUE[sort];
  const direction = descending ? -1 : 1;
  const order = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  return rows
    .map((row) => ({ row, value: value(row) }))
    .sort(
      (a, b) =>
        direction * order(a.value, b.value) ||
        order(a.row.name, b.row.name) ||
        order(a.row.id, b.row.id),
    )
    .map(({ row }) => row);
}

export interface Totals extends ComputeStats {
  nodes: number;
  /**
   * Replicas with something free, as far as the numbers tell. A compute may have more slots than
   * replicas: it counts with all its replicas then, and does not hide that others are full.
   */
  freeReplicas: number;
}

/** As the API counts: free slots are those of available rows. */
export function totalsOf(rows: Iterable<Compute>): Totals {
  const nodes = new Set<string>();
  const sum = { total: 0, available: 0, busy: 0, offline: 0, replicas: 0, freeSlots: 0 };
  let freeReplicas = 0;
  for (const row of rows) {
    sum.total++;
    sum[row.status]++;
    sum.replicas += row.replicas;
    sum.freeSlots += freeNow(row);
    freeReplicas += Math.min(freeNow(row), row.replicas);
    nodes.add(row.nodeId);
  }
  return { ...sum, nodes: nodes.size, freeReplicas };
}

export interface ApiCall {
  /** '' or '?…' for GET /api/registry/computes. */
  search: string;
  /** What the reader asked for and the API has no parameter for, in words. */
  beyond: string[];
}

/**
 * The call of the REST interface that comes nearest: it knows `available` and `visibility`, and has an
 * order of its own. Its answer holds every row of the query's; what is `beyond` it is left to the caller.
 */
export function apiCall(query: DirectoryQuery): ApiCall {
  const params = new URLSearchParams();
  const beyond: string[] = [];
  const onlyAvailable = query.free > 0 || query.status.join() === 'available';
  // Busy and offline rows have nothing free: with such a filter there is nothing to find.
  if (onlyAvailable) params.set('available', '1');
  if (query.status.length > 0 && query.status.join() !== 'available') beyond.push('status');
  const [visibility] = query.visibility;
  if (visibility && query.visibility.length === 1) params.set('visibility', visibility);
  if (query.q) beyond.push('search');
  if (query.class.length > 0) beyond.push('class');
  if (query.backend) beyond.push('backend');
  if (query.free > 1) beyond.push(`at least ${query.free} free slots`);
  return { search: params.size === 0 ? '' : `?${params.toString()}`, beyond };
}
