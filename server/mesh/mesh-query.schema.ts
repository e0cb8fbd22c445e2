import {
  recordFrom,
  NODE_ID_PATTERN,
  REGION_PATTERN,
  NODE_CLASSES,
  type NodeClass,
  PEER_STATUSES,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import { orderAfterClick, orderIn, orderText, type Order } from '#server/common/list-url.schema.ts';
import { searchText } from '#server/common/search-text.schema.ts';

/**
 * The state of the map page in its URL: which peers it shows, how, and which one is selected. Server and
 * browser share this code. Invalid values count as absent: URLs come from anywhere, and a page is better
 * than an error.
 */
export interface MeshQuery extends PeerFilter, NodeOrder {
  view: (typeof VIEWS)[number];
  /** The URL says the view even if it is the flat map: where the plain page shows another one. */
  namesView: boolean;
  /** The id of the selected node, or `genesis`. */
  node: string | null;
  /** The selected point of the map, with all its nodes. */
  at: { lat: number; lng: number } | null;
  /** Page of the list, from 1. May be beyond its end. */
  page: number;
  /** Centre and zoom that the visitor has chosen; null: the map shows all places. */
  map: { lat: number; lng: number; zoom: number } | null;
  /** The panel over the map is folded. */
  folded: boolean;
  /** The map shows where the network was; null: where it is. */
  replay: ReplayQuery | null;
}

/** A moment of the last 24 hours, in quarters of an hour, or of the last 90 days, in UTC days. */
export interface ReplayQuery {
  span: '24h' | '90d';
  /** The start of the step, ms; null: no particular one. */
  at: number | null;
}

/** A flat map, a globe, or a list. */
const VIEWS = ['map', 'globe', 'list'] as const;

export interface PeerFilter {
  /** Part of an id or label; empty: all. */
  q: string;
  /** Empty: all. */
  status: readonly PeerStatus[];
  /** Empty: all. */
  class: readonly NodeClass[];
  region: string | null;
  joined: JoinedWithin | null;
}

/** What the list of nodes can be sorted by: when a node joined, its label, and so on. */
export const NODE_SORTS = ['joined', 'name', 'status', 'class', 'region', 'seen'] as const;
export type NodeSort = (typeof NODE_SORTS)[number];
export type NodeOrder = Order<NodeSort>;

/** The order in which the nodes joined, in which GET /api/mesh has them. */
export const AS_JOINED: NodeOrder = { sort: 'joined', descending: false };
export const isAsJoined = ({ sort, descending }: NodeOrder) => sort === 'joined' && !descending;

/** Sorts the list by a column, or reverses its order, from its first page. */
export const sortedBy = (query: MeshQuery, sort: NodeSort): MeshQuery => ({
  ...query,
  ...orderAfterClick(query, sort, ['seen']),
  page: 1,
});

/** Selectable ages: joined within this many milliseconds. */
export const JOINED_WITHIN = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
} as const;
export type JoinedWithin = keyof typeof JOINED_WITHIN;

/** Highest zoom of the map: points of the finest grid, a tenth of a degree, are separate there. A coarser one ends sooner. */
export const ZOOM_MAX = 10;

/** Longest search text, characters. */
export const SEARCH_MAX = 64;

export const NO_FILTER: PeerFilter = { q: '', status: [], class: [], region: null, joined: null };

/** Longer than any value that is understood, characters: the rest of a longer one is not read. */
const VALUE_MAX = 128;

export function parseMeshQuery(search: URLSearchParams): MeshQuery {
  const text = (key: string) => search.get(key)?.slice(0, VALUE_MAX).trim() ?? '';
  const oneOf = <T extends string>(values: readonly T[], key: string): T | null =>
    values.find((value) => value === text(key)) ?? null;
  const some = <T extends string>(values: readonly T[], key: string): T[] => {
    const asked = text(key).split(',');
    return values.filter((value) => asked.includes(value));
  };
  const [lat, lng] = /^-?[\d.]+,-?[\d.]+$/.test(text('at'))
    ? text('at').split(',').map(Number)
    : [];
  const isPosition = Math.abs(lat ?? NaN) <= 90 && Math.abs(lng ?? NaN) <= 180;
  const [, ...view] = /^(-?[\d.]+),(-?[\d.]+),([\d.]+)$/.exec(text('map')) ?? [];
  const [mapLat = NaN, mapLng = NaN, zoom = NaN] = view.map(Number);
  const isView = Math.abs(mapLat) <= 90 && Math.abs(mapLng) <= 180 && zoom <= ZOOM_MAX;
  return {
    view: oneOf(VIEWS, 'view') ?? 'map',
    namesView: oneOf(VIEWS, 'view') === 'map',
    q: searchText(search.get('q'), SEARCH_MAX),
    status: some(PEER_STATUSES, 'status'),
    class: some(NODE_CLASSES, 'class'),
    region: REGION_PATTERN.test(text('region')) ? text('region') : null,
    joined: oneOf(Object.keys(JOINED_WITHIN) as JoinedWithin[], 'joined'),
    node: NODE_ID_PATTERN.test(text('node')) ? text('node') : null,
    at: isPosition ? { lat: lat as number, lng: lng as number } : null,
    ...orderIn(search.get('sort'), NODE_SORTS, AS_JOINED.sort),
    page: /^[1-9]\d{0,8}$/.test(text('page')) ? Number(text('page')) : 1,
    map: isView ? { lat: mapLat, lng: mapLng, zoom } : null,
    folded: text('panel') === 'folded',
    replay: parseReplay(text('replay')),
  };
}

/** `24h`, `24h,2026-07-17T12:15Z` or `90d,2026-07-17`. */
function parseReplay(text: string): ReplayQuery | null {
  const [, span, moment] = /^(24h|90d)(?:,(\d{4}-\d\d-\d\d(?:T\d\d:\d\dZ)?))?$/.exec(text) ?? [];
  if (span !== '24h' && span !== '90d') return null;
  const at = Date.parse(moment ?? '');
  return { span, at: Number.isNaN(at) ? null : at };
}

function replayText({ span, at }: ReplayQuery): string {
  if (at === null) return span;
  const moment = new Date(at).toISOString();
  return `${span},${span === '90d' ? moment.slice(0, 10) : `${moment.slice(0, 16)}Z`}`;
}

/** A view of the map in the URL, as exact as a pixel at its zoom: `48.1,11.6,5.25`. */
export function mapText({ lat, lng, zoom }: NonNullable<MeshQuery['map']>): string {
  const pixel = 360 / (256 * 2 ** zoom);
  const decimals = Math.max(0, Math.ceil(-Math.log10(pixel)));
  return [lat.toFixed(decimals), lng.toFixed(decimals), zoom].map(Number).join();
}

/** The URL of the page with these choices; defaults are left out. */
export const meshHref = (query: MeshQuery): string => `/${meshSearch(query)}`;

/** Which nodes a file has, and in which order: the part of the page's URL that says it. */
export const nodesSearch = ({ q, status, class: size, region, joined, ...query }: MeshQuery) =>
  meshSearch({
    ...{ ...parseMeshQuery(new URLSearchParams()), q, status, class: size, region, joined },
    ...{ sort: query.sort, descending: query.descending },
  });

/** '' or '?…' */
function meshSearch(query: MeshQuery): string {
  const values: Record<
    Exclude<keyof MeshQuery, 'folded' | 'namesView' | 'descending'> | 'panel',
    string
  > = {
    view: query.view === 'map' && !query.namesView ? '' : query.view,
    q: query.q,
    status: query.status.join(','),
    class: query.class.join(','),
    region: query.region ?? '',
    joined: query.joined ?? '',
    node: query.node ?? '',
    at: query.at ? `${query.at.lat},${query.at.lng}` : '',
    sort: isAsJoined(query) ? '' : orderText(query),
    page: query.page === 1 ? '' : String(query.page),
    map: query.map ? mapText(query.map) : '',
    panel: query.folded ? 'folded' : '',
    replay: query.replay ? replayText(query.replay) : '',
  };
  const search = Object.entries(values).filter(([, value]) => value !== '');
  // Commas and colons are allowed in a query, and easier to read unencoded.
  const text = new URLSearchParams(search).toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return text === '' ? '' : `?${text}`;
}

export const isFiltered = ({ q, status, class: size, region, joined }: PeerFilter): boolean =>
  q !== '' || status.length > 0 || size.length > 0 || region !== null || joined !== null;

/** The fields that a filter checks. */
export interface Filterable {
  id: string;
  label: string;
  status: PeerStatus;
  class: NodeClass;
  region: string;
  joinedAt: Date | string;
}

const MISSES = { other: 1, status: 2, class: 4, region: 8 } as const;

/** The parts of the filter that a peer does not match at `now` (ms), as a bit set; 0 if it matches. */
function createFilter(filter: PeerFilter, now: number): (peer: Filterable) => number {
  const { status, class: size, region, joined } = filter;
  const q = filter.q.toLowerCase();
  const since = joined === null ? null : now - JOINED_WITHIN[joined];
  return (peer) => {
    let misses = 0;
    if (status.length > 0 && !status.includes(peer.status)) misses |= MISSES.status;
    if (size.length > 0 && !size.includes(peer.class)) misses |= MISSES.class;
    if (region !== null && peer.region !== region) misses |= MISSES.region;
    if (q !== '' && !peer.id.toLowerCase().includes(q) && !peer.label.toLowerCase().includes(q))
      misses |= MISSES.other;
    if (since !== null && new Date(peer.joinedAt).getTime() < since) misses |= MISSES.other;
    return misses;
  };
}

/** Whether a peer matches the filter at `now` (ms). */
export function createMatcher(filter: PeerFilter, now: number): (peer: Filterable) => boolean {
  const misses = createFilter(filter, now);
  return (peer) => misses(peer) === 0;
}

/** How many peers each choice would show while the rest of the filter stays the same. */
export interface Facets {
  status: Record<PeerStatus, number>;
  class: Record<NodeClass, number>;
  region: Record<string, number>;
}

/** The matching rows in their order, and the counts beside the filters, in one pass over all rows. */
export function surveyPeers<Row>(
  rows: Iterable<Row>,
  filter: PeerFilter,
  now: number,
  fields: (row: Row) => Filterable,
): { matched: Row[]; facets: Facets } {
  const misses = createFilter(filter, now);
  const matched: Row[] = [];
  const facets: Facets = {
    status: recordFrom(PEER_STATUSES, () => 0),
    class: recordFrom(NODE_CLASSES, () => 0),
    // No prototype: a region may have any name that matches its pattern.
    region: Object.create(null) as Record<string, number>,
  };
  for (const row of rows) {
    const peer = fields(row);
    const missed = misses(peer);
    if (missed === 0) matched.push(row);
    if ((missed & ~MISSES.status) === 0) facets.status[peer.status]++;
    if ((missed & ~MISSES.class) === 0) facets.class[peer.class]++;
    if ((missed & ~MISSES.region) === 0)
      facets.region[peer.region] = (facets.region[peer.region] ?? 0) + 1;
  }
  return { matched, facets };
}
