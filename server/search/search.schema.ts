import type {
  ComputeStatus,
  GenesisStatus,
  PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';

/** What the search finds. Without zod, because the browser uses it too. */

/** In the order in which equally good matches are listed. */
export const HIT_KINDS = ['name', 'node', 'compute'] as const;
export type HitKind = (typeof HIT_KINDS)[number];

export interface SearchHit {
  kind: HitKind;
  /** Unique within its kind. */
  id: string;
  title: string;
  /** What else identifies it, such as a node's ID or an image; may be empty. */
  detail: string;
  /** Current state; null for a name whose node and compute offer have never been heard of. */
  status: PeerStatus | ComputeStatus | GenesisStatus | null;
  /** Path of its page. */
  href: string;
}

export interface SearchResult {
  /** The search text, as it was used. */
  q: string;
  /** Best matches first. */
  hits: SearchHit[];
  /** The kinds of which more matched than are listed. */
  more: HitKind[];
}

/** Longest search text, characters: an image can be longer, but no ID, name or label. */
export const SEARCH_MAX = 64;

/** Hits of each kind, at most. */
export const HITS_PER_KIND = 10;

/** The page with all results of a search. */
export const searchPageHref = (q: string): string =>
  q === '' ? '/search' : `/search?${new URLSearchParams({ q }).toString()}`;
