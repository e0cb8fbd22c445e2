import { useEffect, useState, useSyncExternalStore } from 'react';
import type { MeshHead, Peer } from '../../server/schemas/mesh.ts';
import { setServerMoment } from '../clock.ts';
import { MeshStore } from '../mesh-store.ts';

/** The mesh as this page shows it: as the server rendered it, then kept level by the event stream. */
export function useMesh(loaded: { head: MeshHead; peers: Peer[]; cursor: string }): MeshStore {
  const [store] = useState(() => new MeshStore(loaded.head));
  const [cursor] = useState(loaded.cursor);

  useEffect(() => {
    setServerMoment(Date.parse(store.head.updatedAt));
    let left = false;
    let unfollow: (() => void) | undefined;
    import('../mesh-live.client.ts').then(
      ({ followMesh }) => {
        if (!left) unfollow = followMesh(store, cursor);
      },
      // Without its script the page stays as the server made it, and says as of when.
      () => undefined,
    );
    return () => {
      left = true;
      unfollow?.();
    };
  }, [store, cursor]);

  useSyncExternalStore(store.subscribe, store.version, () => 0);
  return store;
}
