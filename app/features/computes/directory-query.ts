import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { orderAfterClick, orderIn, orderText, type Order } from '#server/common/list-url.schema.ts';
import type { OfferNode } from '#server/nodes/index.ts';
import {
  COMPUTE_STATUSES,
  VISIBILITIES,
  type ComputeStatus,
  type Visibility,
  NODE_CLASSES,
  type NodeClass,
} from '@mesh-registry/protocol/values.schema.ts';

/**
 * The filters, order and page of the compute directory, as they are in the URL. The server and the open page
 * both read them here, so their results agree.
 */

/** Slots that are free now: an offline compute offer has none, whatever it last announced. */
export const freeNow = (row: Pick<Compute, 'status' | 'freeSlots'>) =>
  row.status === 'available' ? row.freeSlots : 0;

/** Region and uptime of the node of an offer, by the node's id. */
export type NodeOf = (id: string) => OfferNode;

/** What the list can be sorted by, and the value of a row. */
export const SORT_VALUES = {
  name: ({ name }) => name,
  node: ({ label }) => label.toLowerCase(),
  image: ({ image }) => image.toLowerCase(),
  region: (_, { region }) => region,
  class: (row) => NODE_CLASSES.indexOf(row.class),
  backend: ({ backend }) => backend,
  visibility: ({ visibility }) => VISIBILITIES.indexOf(visibility),
  free: freeNow,
  replicas: ({ replicas }) => replicas,
  uptime: (_, { uptime }) => uptime ?? -1,
  status: ({ status }) => COMPUTE_STATUSES.indexOf(status),
  seen: ({ lastSeen }) => lastSeen,
} satisfies Record<string, (row: Compute, node: OfferNode) => string | number>;
export type SortKey = keyof typeof SORT_VALUES;
export const SORT_KEYS = Object.keys(SORT_VALUES) as SortKey[];

export interface DirectoryQuery extends Order<SortKey> {
  /** Words that must all occur in the name, node ID, label or image, in any case. */
  q: string;
  /** Any of these; empty for all. The same for the next two. */
  status: ComputeStatus[];
  visibility: Visibility[];
  class: NodeClass[];
  /** One backend, or '' for all. */
  backend: string;
  /** At least this many slots are free now. */
  free: number;
  /** The region of the node, as its code, or '' for all. */
  region: string;
  /** At least this many percent of the last 30 days, one of {@link UPTIMES}; 0 for all. */
  uptime: number;
  /** Offers that are chosen to be compared, by {@link compareKey}; they stay whatever the filters. */
  compare: string[];
  /** From 1. A page after the last one means the last one. */
  page: number;
}

/** The longest search text: nothing that can be found is longer than an image. */
export const MAX_SEARCH = 255;
/** What the uptime of an offer's node can be filtered by, percent. */
export const UPTIMES = [99.9, 99, 95];
/** The most slots that a compute offer can announce. */
export const MAX_FREE = 1_000_000;

const UNFILTERED = {
  q: '',
  status: [] as ComputeStatus[],
  visibility: [] as Visibility[],
  class: [] as NodeClass[],
  backend: '',
  free: 0,
  region: '',
  uptime: 0,
  page: 1,
};
export const ALL: DirectoryQuery = { ...UNFILTERED, compare: [], sort: 'name', descending: false };

/** Ignores invalid values, so that a mistyped link still shows the list. */
export function parseQuery(params: URLSearchParams): DirectoryQuery {
  const known = <T extends string>(name: string, values: readonly T[]): T[] => {
    // A menu sends several values as one.
    const given = params.getAll(name).flatMap((value) => value.split(','));
    return values.filter((value) => given.includes(value));
  };
  const q = wordsOf((params.get('q') ?? '').slice(0, 2 * MAX_SEARCH)).join(' ');
  const backend = params.get('backend') ?? '';
  const region = params.get('region') ?? '';
  const uptime = params.get('uptime') ?? '';
  return {
    q: q.length <= MAX_SEARCH ? q : '',
    status: known('status', COMPUTE_STATUSES),
    visibility: known('visibility', VISIBILITIES),
    class: known('class', NODE_CLASSES),
    backend: /^[a-z0-9._-]{1,32}$/.test(backend) ? backend : '',
    free: parseCount(params.get('free'), 0, MAX_FREE),
    region: /^[A-Z0-9_-]{1,16}$/.test(region) ? region : '',
    uptime: UPTIMES.find((percent) => String(percent) === uptime) ?? 0,
    compare: compareKeys(params),
    ...orderIn(params.get('sort'), SORT_KEYS, 'name'),
    page: Math.max(1, parseCount(params.get('page'), 1, 1_000_000)),
  };
}

function parseCount(text: string | null, fallback: number, max: number): number {
  const value = /^\d{1,7}$/.test(text ?? '') ? Number(text) : fallback;
  return value <= max ? value : fallback;
}

export const wordsOf = (text: string) => text.trim().split(/\s+/).filter(Boolean);

/** '' or '?…'. Leaves out defaults, so that equivalent queries have the same text. */
export function queryString(query: DirectoryQuery): string {
  const params = new URLSearchParams();
  if (query.q) params.set('q', query.q);
  const append = <T extends string>(name: string, values: readonly T[], chosen: readonly T[]) => {
    for (const value of values) if (chosen.includes(value)) params.append(name, value);
  };
  append('status', COMPUTE_STATUSES, query.status);
  append('visibility', VISIBILITIES, query.visibility);
  append('class', NODE_CLASSES, query.class);
  if (query.backend) params.set('backend', query.backend);
  if (query.free > 0) params.set('free', String(query.free));
  if (query.region) params.set('region', query.region);
  if (query.uptime > 0) params.set('uptime', String(query.uptime));
  if (query.compare.length > 0) params.set('compare', query.compare.join(','));
  const order = orderText(query);
  if (order !== 'name') params.set('sort', order);
  if (query.page > 1) params.set('page', String(query.page));
  return params.size === 0 ? '' : `?${readable(params)}`;
}

/** Commas and colons need no escape in a query. */
const readable = (params: URLSearchParams) =>
  params.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');

/** As many offers are compared at most. */
export const COMPARE_MAX = 4;

/** Which offers to compare: `compare`, separated by commas or repeated, as a form sends them. */
export function compareKeys(params: URLSearchParams): string[] {
  const given = params.getAll('compare').flatMap((value) => value.split(','));
  const keys = given.filter((key) => /^([\w-]{2,64}:)?[a-z0-9_-]{2,32}$/.test(key));
  return [...new Set(keys)].slice(0, COMPARE_MAX);
}

/** The query of the page that compares offers, of the directory where they are chosen, or of their file. */
export const compareString = (keys: readonly string[]): string =>
  queryString({ ...ALL, compare: [...keys] });

/**
 * How an offer is named in `compare`: by its name, or by its id where several nodes may announce the same name.
 * @param needsName whether an offer is listed only with its registered name, which one node has
 */
export const compareKey = ({ id, name }: Pick<Compute, 'id' | 'name'>, needsName: boolean) =>
  needsName ? name : id;

/** The name of an offer that may not be listed. */
export const nameInKey = (key: string): string => key.slice(key.indexOf(':') + 1);

/** The same order without any filter. */
export const unfiltered = (query: DirectoryQuery): DirectoryQuery => ({ ...query, ...UNFILTERED });

/** How many filters are set, not counting the search. */
export const filterCount = (query: DirectoryQuery) =>
  [
    query.status.length,
    query.visibility.length,
    query.class.length,
    query.backend.length,
    query.free,
    query.region.length,
    query.uptime,
  ].filter((n) => n > 0).length;

/** Adds the value to a filter, or removes it if it was there, and goes back to the first page. */
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

/** Sorts by a column, or reverses the order if it is sorted by it already. The most and the newest come first. */
export const sortedBy = (query: DirectoryQuery, sort: SortKey): DirectoryQuery => ({
  ...query,
  ...orderAfterClick(query, sort, ['free', 'replicas', 'uptime', 'seen']),
  page: 1,
});
