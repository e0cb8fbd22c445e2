import { useEffect, useState, useSyncExternalStore } from 'react';
import { useClock } from '#app/lib/clock.ts';
import type { Compute, ComputesHead } from '#server/computes/computes.schema.ts';
import type { MeshHead, Peer } from '#server/mesh/mesh.schema.ts';
import { LiveStore, type ComputesStore, type MeshStore } from './live-store.ts';

interface Loaded<Head> {
  head: Head;
  /** Where the stream goes on: a position taken before `head` was made. */
  cursor: string;
}

export const useMesh = (loaded: Loaded<MeshHead>): MeshStore =>
  useLive<MeshHead, Peer>(
    loaded,
    (peer) => peer.joinedAt,
    () => import('./live.client.ts').then(({ followMesh }) => followMesh),
  );

export const useComputes = (loaded: Loaded<ComputesHead>): ComputesStore =>
  useLive<ComputesHead, Compute>(
    loaded,
    (compute) => compute.firstSeen,
    () => import('./live.client.ts').then(({ followComputes }) => followComputes),
  );

/**
 * A list as this page shows it: as the server rendered it, then kept level by the event stream.
 * `since` and `load` never change; `load` brings the script that follows, which comes after the page.
 */
function useLive<Head extends { updatedAt: string }, Row extends { id: string }>(
  loaded: Loaded<Head>,
  since: (row: Row) => string,
  load: () => Promise<(store: LiveStore<Head, Row>, cursor: string) => () => void>,
): LiveStore<Head, Row> {
  const clock = useClock();
  const [store] = useState(() => new LiveStore(loaded.head, since, clock));
  const [cursor] = useState(loaded.cursor);
  const [bring] = useState(() => load);

  useEffect(() => {
    clock.set(Date.parse(store.head.updatedAt));
    let left = false;
    let unfollow: (() => void) | undefined;
    bring().then(
      (follow) => {
        if (!left) unfollow = follow(store, cursor);
      },
      // Without its script the page stays as the server made it, and says as of when.
      () => undefined,
    );
    return () => {
      left = true;
      unfollow?.();
    };
  }, [clock, store, cursor, bring]);

  useSyncExternalStore(store.subscribe, store.version, () => 0);
  return store;
}
