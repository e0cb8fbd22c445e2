import { useLocation, useNavigate } from '@remix-run/react';
import { useRef, useState } from 'react';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { useIsomorphicLayoutEffect } from '#app/lib/remix-workarounds/use-isomorphic-layout-effect.ts';
import { useDebouncedUrl } from '#app/lib/use-debounced-url.ts';
import type { PeerPage } from '#server/mesh/index.ts';
import { mapText, meshHref, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { MapView } from './map/first-view.ts';
import type { Selected, Selection } from './map/use-drawing.ts';
import { api, useAnswer } from './use-answer.ts';
import { filterOf } from './use-mesh-list.ts';

/** State of a navigation on the map page. */
interface NavigationState {
  /** The selection was made outside the map, so its card takes the focus. */
  focusCard?: boolean;
  /** The selection was made on the map, which then doesn't move. */
  onMap?: boolean;
}

/** State of a link to a node from anywhere but the map. */
export const FOCUS_CARD: NavigationState = { focusCard: true };

/** How long the map rests before its view is in the URL, ms. */
const REST_MS = 400;

/** Goes to another state of the map page. Filters and views replace the history entry; selections add one. */
export function useMeshNavigation(query: MeshQuery) {
  const navigate = useNavigate();
  const location = useLocation();
  /** The view that the visitor has chosen, until the URL has it, and the node that was selected by then. */
  const moved = useRef<{ map: MapView; node: string | null } | null>(null);
  const view = useDebouncedUrl(REST_MS, () => {
    // A link has opened a node elsewhere meanwhile: the view from before would be wrong beside it.
    const left = query.map === null && query.node !== null && query.node !== moved.current?.node;
    if (left) moved.current = null;
    return moved.current && meshHref({ ...query, map: moved.current.map });
  });
  const followed = query.map && mapText(query.map);
  useIsomorphicLayoutEffect(() => {
    if (moved.current && mapText(moved.current.map) === followed) moved.current = null;
  }, [followed]);
  /** What is chosen while a move waits takes the moved view along, so the URL need not follow it any more. */
  const go = (patch: Partial<MeshQuery>, replace: boolean, state: unknown) => {
    const map = moved.current?.map ?? query.map;
    view.stop();
    if (patch.map === null) moved.current = null;
    navigate(meshHref({ ...query, map, ...patch }), { replace, preventScrollReset: true, state });
  };
  /** The entry of the history keeps its state. */
  const replace = (patch: Partial<MeshQuery>) => go(patch, true, location.state);
  return {
    filter: (patch: Partial<MeshQuery>) => go({ page: 1, ...patch }, true, { onMap: true }),
    select: (selection: Selection, focusCard = false) =>
      go({ node: null, at: null, ...selection }, false, { onMap: true, focusCard }),
    open: (node: string) =>
      go({ view: viewOnMap(query), node, at: null, map: null }, false, FOCUS_CARD),
    replay: (replay: MeshQuery['replay']) => replace({ replay }),
    fold: (folded: boolean) => replace({ folded }),
    move: (map: MapView) => {
      moved.current = { map, node: query.node };
      view.changed();
    },
  };
}

/** Where a node is shown on the map, from anywhere else: the map moves to it. */
export const nodeOnMap = (query: MeshQuery, node: string): string =>
  meshHref({ ...query, view: viewOnMap(query), node, at: null, map: null });

/** The view that shows where something is: from the list, the flat map. */
export const viewOnMap = ({ view }: MeshQuery) => (view === 'list' ? 'map' : view);

/** Nodes of a grid point that are listed at first, and added each time when more are asked for. */
export const SELECTED_LIMIT = 50;

/**
 * What the URL selects: a node, Genesis, or all matching nodes at one grid point.
 * @param loaded the selected nodes as the server found them
 */
export function useSelection(
  { head, store }: { head: PlacesHead; store: MeshStore },
  query: MeshQuery,
  loaded: PeerPage,
) {
  const { node, at } = query;
  const state = useLocation().state as NavigationState | null;
  const place = at && `${at.lat},${at.lng}`;
  const [asked, setAsked] = useState<{ place: string | null; pages: number }>();
  const pages = place !== null && asked?.place === place ? asked.pages : 1;
  const filter = filterOf(query);
  const genesis = node === head.genesis.id ? head.genesis : null;
  /** What the selected nodes are asked by; null if there is nothing to ask. */
  const subject =
    genesis !== null || (node === null && !at) ? null : JSON.stringify(node ?? { at, filter });
  /** The pages of the place that are here, and whose turn it is to be asked for again. */
  const kept = useRef<{ subject: string | null; pages: PeerPage[]; turn: number }>({
    subject,
    pages: [loaded],
    turn: 0,
  });
  const ask = async (signal: AbortSignal): Promise<PeerPage> => {
    if (node !== null) {
      const peer = await (await api()).node.query({ id: node }, { signal });
      return pageOf(peer ? [peer] : []);
    }
    if (!at) return pageOf([]);
    const before = kept.current.subject === subject ? kept.current : { pages: [], turn: 0 };
    // A page that isn't here yet comes first. After that each refresh asks for one of those that are shown, in turn.
    const index = before.pages.length < pages ? before.pages.length : before.turn % pages;
    const { peersAt } = await api();
    const answer = await peersAt.query(
      { ...at, ...filter, page: index + 1, limit: SELECTED_LIMIT },
      { signal },
    );
    const shown = before.pages.slice();
    shown[index] = answer;
    kept.current = { subject, pages: shown, turn: index + 1 };
    // Nodes that join or leave meanwhile move others to another page.
    const peers = new Map(shown.flatMap(({ peers }) => peers).map((peer) => [peer.id, peer]));
    return pageOf([...peers.values()], answer.page.total);
  };
  const answered = useAnswer(
    store,
    subject && `${subject} ${pages}`,
    async (signal) => ({ subject, ...(await ask(signal)) }),
    { key: `${subject} ${pages}`, data: { subject, ...loaded } },
  );
  const known = subject !== null && answered?.data.subject === subject;
  const { peers, page } = known ? answered.data : pageOf([]);
  const [first] = peers;
  /** One node, by its id or alone at its place: the map shows its name. */
  const chosen: Selected | undefined =
    first && page.total === 1 ? { ...first, node: first } : undefined;
  return {
    /** Names what is selected; null: nothing. */
    key: node ?? place,
    peers,
    total: page.total,
    genesis,
    /** The answer is still on its way. */
    loading: subject !== null && !known,
    showMore: peers.length < page.total ? () => setAsked({ place, pages: pages + 1 }) : undefined,
    /** Whether there is something to show: an id always, a grid point only if nodes are there. */
    any: node !== null || (at !== null && (peers.length > 0 || !known)),
    position: genesis ? (head.genesisPlaced ? genesis : null) : (chosen ?? peers[0] ?? at),
    onMap: state?.onMap === true,
    takeFocus: state?.focusCard === true,
  };
}

const pageOf = (peers: PeerPage['peers'], total = peers.length): PeerPage => ({
  peers,
  page: { number: 1, total, limit: SELECTED_LIMIT },
});
