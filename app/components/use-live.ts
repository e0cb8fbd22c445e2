import { useEffect, useState, useSyncExternalStore } from 'react';
import { setServerMoment } from '../clock.ts';
import type { Compute, ComputesHead } from '../../server/schemas/computes.ts';
import type { MeshHead, Peer } from '../../server/schemas/mesh.ts';
import { LiveStore, type ComputesStore, type MeshStore } from '../live-store.ts';
import type * as Client from '../live.client.ts';

interface Loaded<Head> {
  head: Head;
  /** Where the stream goes on: a position taken before `head` was made. */
  cursor: string;
}

export const useMesh = (loaded: Loaded<MeshHead>): MeshStore =>
  useLive<MeshHead, Peer>(
    loaded,
    (peer) => peer.joinedAt,
    (client) => client.meshSource,
  );

export const useComputes = (loaded: Loaded<ComputesHead>): ComputesStore =>
  useLive<ComputesHead, Compute>(
    loaded,
    (compute) => compute.firstSeen,
    (client) => client.computesSource,
  );

/**
 * A list as this page shows it: as the server rendered it, then kept level by the event stream.
 * `since` and `source` never change; `source` names one in the script that follows, which comes after
 * the page.
 */
function useLive<Head extends { updatedAt: string }, Row extends { id: string }>(
  loaded: Loaded<Head>,
  since: (row: Row) => string,
  source: (client: typeof Client) => Client.LiveSource<Head, Row>,
): LiveStore<Head, Row> {
  const [store] = useState(() => new LiveStore(loaded.head, since));
  const [cursor] = useState(loaded.cursor);
  const [pick] = useState(() => source);

  useEffect(() => {
    setServerMoment(Date.parse(store.head.updatedAt));
    let left = false;
    let unfollow: (() => void) | undefined;
    import('../live.client.ts').then(
      (client) => {
        if (!left) unfollow = client.follow(store, pick(client), cursor);
      },
      // Without its script the page stays as the server made it, and says as of when.
      () => undefined,
    );
    return () => {
      left = true;
      unfollow?.();
    };
  }, [store, cursor, pick]);

  useSyncExternalStore(store.subscribe, store.version, () => 0);
  return store;
}
