import { useEffect, useState } from 'react';
import { useFollowed } from '#app/features/live/use-followed.ts';
import type { Connection } from '#app/lib/polling.ts';
import type { MaybeStale } from '#app/lib/stale-while-offline.ts';
import type { NodeDetails } from '#server/nodes/index.ts';
import type { LoadedNode } from './node-page.server.ts';

/** How soon a first heartbeat shows (ms), because an operator may be waiting for it here. */
const FIRST_HEARTBEAT_MS = 5000;
/** How long the page asks that often (ms). After that, the stream tells it. */
const WAITING_MS = 600_000;

/**
 * A node as it is now. Until its first heartbeat the page is loaded again every few seconds, for ten minutes; then it follows
 * the node.
 */
export function useLiveNode(loaded: LoadedNode & MaybeStale): {
  node: LoadedNode;
  connection: Connection;
} {
  const { id, invalid } = loaded;
  const waiting = useWaiting(id, loaded.peer === null && !loaded.genesis && invalid === null);
  const { details, connection } = useFollowed<NodeDetails>(loaded, {
    procedure: 'mesh.nodeChanges',
    subject: { id },
    pollMs: waiting ? FIRST_HEARTBEAT_MS : null,
    follows: invalid === null,
    frameOf,
  });
  return { node: details ? { ...loaded, ...details } : loaded, connection };
}

/** What the page shows around the live values. */
const frameOf = ({ peer, blocked, hidden, names, genesis }: NodeDetails) =>
  JSON.stringify([
    peer && [peer.lat, peer.lng, peer.status === 'offline'],
    blocked,
    hidden,
    genesis?.status,
    names.map(({ name }) => name),
  ]);

/** Whether the page waits for a first heartbeat: for ten minutes, and for ten more whenever the visitor returns. */
function useWaiting(id: string, unheard: boolean): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (!unheard) return;
    const begin = () => {
      if (document.hidden) return;
      setOver(false);
      clearTimeout(timer);
      timer = setTimeout(() => setOver(true), WAITING_MS);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    begin();
    document.addEventListener('visibilitychange', begin);
    return () => {
      document.removeEventListener('visibilitychange', begin);
      clearTimeout(timer);
    };
  }, [id, unheard]);
  return unheard && !over;
}
