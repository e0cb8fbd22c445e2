import {
  REGION_PATTERN,
  NODE_CLASSES,
  PEER_STATUSES,
} from '@mesh-registry/protocol/values.schema.ts';
import {
  AS_JOINED,
  JOINED_WITHIN,
  mapText,
  meshHref,
  parseMeshQuery,
  type MeshQuery,
  type PeerFilter,
} from '#server/mesh/mesh-query.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';

/** An embedded map is flat, of the present, and nothing on it is selected: only filters and the view are its own. */
const PLAIN = {
  view: 'map',
  namesView: false,
  ...AS_JOINED,
  node: null,
  at: null,
  page: 1,
  folded: false,
  replay: null,
} as const;

export const EMBED_THEMES = ['auto', 'light', 'dark'] as const;
export type EmbedTheme = (typeof EMBED_THEMES)[number];

/** The theme in a URL; the reader's own if it says none. */
export const embedTheme = (search: URLSearchParams): EmbedTheme =>
  EMBED_THEMES.find((theme) => theme === search.get('theme')) ?? 'auto';

/**
 * Reads the URL of an embedded map. `filter` lists values of the map's filters in any order; the map's own parameters
 * work too. Invalid values count as absent, so that a mistake in a snippet never breaks the page that it is on.
 */
export function parseEmbedQuery(search: URLSearchParams): { theme: EmbedTheme; query: MeshQuery } {
  const asked = new URLSearchParams(search);
  const lists: Record<'status' | 'class', string[]> = { status: [], class: [] };
  for (const value of (search.get('filter') ?? '').split(',').map((value) => value.trim())) {
    const kind = kindOf(value);
    if (kind === 'status' || kind === 'class') lists[kind].push(value);
    else if (kind) asked.set(kind, value);
  }
  for (const [key, values] of Object.entries(lists))
    if (values.length > 0) asked.set(key, values.join());
  const { q, status, class: size, region, joined, map } = parseMeshQuery(asked);
  return {
    theme: embedTheme(search),
    query: { q, status, class: size, region, joined, map, ...PLAIN },
  };
}

/** Which filter a value belongs to; what could be a class is no region. */
function kindOf(value: string): 'status' | 'class' | 'joined' | 'region' | null {
  if ((PEER_STATUSES as readonly string[]).includes(value)) return 'status';
  if ((NODE_CLASSES as readonly string[]).includes(value)) return 'class';
  if (Object.hasOwn(JOINED_WITHIN, value)) return 'joined';
  return REGION_PATTERN.test(value) ? 'region' : null;
}

/** The path and query of an embedded map; defaults are left out. */
export function embedHref(
  theme: EmbedTheme,
  { q, status, class: size, region, joined, map }: PeerFilter & Pick<MeshQuery, 'map'>,
): string {
  const isNamed = region !== null && kindOf(region) === 'region';
  const filter = [...status, ...size, isNamed ? region : null, joined].filter(Boolean).join();
  const values = {
    theme: theme === 'auto' ? '' : theme,
    filter,
    q,
    region: isNamed ? '' : (region ?? ''),
    map: map ? mapText(map) : '',
  };
  const search = Object.entries(values).filter(([, value]) => value !== '');
  const text = new URLSearchParams(search).toString().replaceAll('%2C', ',');
  return text === '' ? hrefs.embed() : `${hrefs.embed()}?${text}`;
}

/** Where the snippet for a map with this filter and view is. */
export const embedDocsHref = (query: MeshQuery): string =>
  meshHref({ ...query, ...PLAIN }).replace(hrefs.map(), hrefs.docs.embed());
