import { useLocation, useNavigate } from '@remix-run/react';
import { useMemo } from 'react';
import { meshHref, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import type { MeshHead, Peer } from '#server/mesh/mesh.schema.ts';
import type { Selection } from './map/mesh-map.client.ts';

/** State of a navigation on the map page. */
interface NavigationState {
  /** The selection was made outside the map, so its card takes the focus. */
  focusCard?: boolean;
  /** The selection was made on the map, which then doesn't move. */
  onMap?: boolean;
}

/** State of a link to a node from anywhere but the map. */
export const FOCUS_CARD: NavigationState = { focusCard: true };

/** Goes to another state of the map page. Filters replace the history entry; selections add one. */
export function useMeshNavigation(query: MeshQuery) {
  const navigate = useNavigate();
  const go = (patch: Partial<MeshQuery>, replace: boolean, state: NavigationState) =>
    navigate(meshHref({ ...query, ...patch }), { replace, preventScrollReset: true, state });
  return {
    filter: (patch: Partial<MeshQuery>) => go({ page: 1, ...patch }, true, { onMap: true }),
    select: (selection: Selection) =>
      go({ node: null, at: null, ...selection }, false, { onMap: true }),
    open: (node: string) => go({ view: 'map', node, at: null }, false, FOCUS_CARD),
  };
}

/**
 * What the URL selects: a node, Genesis, or all nodes at one grid point.
 * @param loaded the selected nodes as the server found them, until the live rows are here
 */
export function useSelection(
  { head, rows }: { head: MeshHead; rows: readonly Peer[] | null },
  { node, at }: MeshQuery,
  loaded: Peer[],
) {
  const state = useLocation().state as NavigationState | null;
  const peers = useMemo(() => {
    if (!rows) return loaded;
    if (node !== null) return rows.filter(({ id }) => id === node);
    return at ? rows.filter(({ lat, lng }) => lat === at.lat && lng === at.lng) : [];
  }, [rows, node, at, loaded]);
  const genesis = node === head.genesis.id ? head.genesis : null;
  return {
    peers,
    genesis,
    /** Whether there is something to show: an id always, a grid point only if nodes are there. */
    any: node !== null || peers.length > 0,
    position: genesis ?? peers[0] ?? at,
    onMap: state?.onMap === true,
    takeFocus: state?.focusCard === true,
  };
}
