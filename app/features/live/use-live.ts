import { useLocation, type ShouldRevalidateFunction } from '@remix-run/react';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useClock } from '#app/lib/clock.ts';
import { openPageData, rememberPage } from '#app/lib/open-page.client.ts';
import type { Compute, ComputesHead } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { Place } from '#server/mesh/places.schema.ts';
import { LiveStore, type LiveSnapshot } from './live-store.ts';

interface Loaded<Head> {
  head: Head;
  /** The position at which the event stream continues, taken before `head` was made. */
  cursor: string;
}

interface LiveList<Head extends { updatedAt: string }, Row extends { id: string }> {
  sortKey: ((row: Row) => string) | null;
  /** Loads the script that keeps the store in sync, after the page. */
  load: () => Promise<(store: LiveStore<Head, Row>, cursor: string) => () => void>;
}

const MESH: LiveList<PlacesHead, Place> = {
  sortKey: null,
  load: () => import('./live.client.ts').then(({ followMesh }) => followMesh),
};

const COMPUTES: LiveList<ComputesHead, Compute> = {
  sortKey: (compute) => compute.firstSeen,
  load: () => import('./live.client.ts').then(({ followComputes }) => followComputes),
};

/** Some offers, by name or id. @param keys the same array while they are the same */
export function useOffers(loaded: Loaded<ComputesHead>, keys: readonly string[]) {
  const list = useMemo<LiveList<ComputesHead, Compute>>(
    () => ({
      sortKey: null,
      load: () => import('./live.client.ts').then(({ followOffers }) => followOffers(keys)),
    }),
    [keys],
  );
  return useLive(loaded, list);
}

export const useMesh = (loaded: Loaded<PlacesHead>) => useLive(loaded, MESH);
export const useComputes = (loaded: Loaded<ComputesHead>) => useLive(loaded, COMPUTES);

/** A list as the server rendered it, kept in sync by the event stream while the page is open. */
function useLive<Head extends { updatedAt: string }, Row extends { id: string }>(
  loaded: Loaded<Head>,
  list: LiveList<Head, Row>,
): LiveSnapshot<Head, Row> & { store: LiveStore<Head, Row> } {
  const clock = useClock();
  const [store] = useState(() => new LiveStore(loaded.head, list.sortKey, clock));
  const [cursor] = useState(loaded.cursor);

  useEffect(() => {
    clock.set(Date.parse(store.head.updatedAt));
    let unmounted = false;
    let unfollow: (() => void) | undefined;
    list.load().then(
      (follow) => {
        if (!unmounted) unfollow = follow(store, cursor);
      },
      // Without this script the page stays as rendered and shows when that was.
      () => undefined,
    );
    return () => {
      unmounted = true;
      unfollow?.();
    };
  }, [clock, store, cursor, list]);

  const snapshot = useSyncExternalStore(store.subscribe, store.snapshot, store.snapshot);
  return { ...snapshot, store };
}

/**
 * Once a page has every row of its list, it filters in the browser without asking the server, and so works
 * offline. A route uses both: the hook in its page, and `export { unlessComplete as shouldRevalidate }`.
 */
export function useCompletePage(complete: boolean): void {
  const { pathname } = useLocation();
  useEffect(
    () => (complete ? rememberPage(pathname, { complete }) : undefined),
    [pathname, complete],
  );
}

export const unlessComplete: ShouldRevalidateFunction = ({ currentUrl }) =>
  openPageData(currentUrl.pathname) === undefined;
