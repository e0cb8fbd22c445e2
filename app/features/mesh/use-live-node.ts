import { useEffect, useState } from 'react';
import { useClock } from '#app/lib/clock.ts';
import type { Connection } from '#app/lib/polling.ts';
import { usePageRefresh, useReload } from '#app/lib/page-refresh.ts';
import { useLatest } from '#app/lib/polling.ts';
import { followNode, type FollowedDetails } from './follow-node.ts';
import type { LoadedNode } from './node-page.server.ts';
import type { MaybeStale } from '#app/lib/stale-while-offline.ts';

/** How soon a first heartbeat shows (ms), because an operator may be waiting for it here. */
const FIRST_HEARTBEAT_MS = 5000;
/** How long the page asks that often (ms). After that, the stream tells it. */
const WAITING_MS = 600_000;
/** Uptime and outages are counted by the quarter of an hour (ms). */
const RELOAD_MS = 900_000;

/**
 * A node as it is now. Until its first heartbeat the page is loaded again every few seconds, for ten minutes; then the
 * event stream of the node brings what has changed, and the rest is loaded again where a change touches it.
 */
export function useLiveNode(loaded: LoadedNode & MaybeStale): {
  node: LoadedNode;
  connection: Connection;
} {
  const { id, tag, invalid, stale } = loaded;
  const clock = useClock();
  const [details, setDetails] = useState<FollowedDetails | null>(null);
  const [stream, setStream] = useState<Connection>({ state: 'starting' });
  const waiting = useWaiting(id, loaded.peer === null && !loaded.genesis && invalid === null);
  const polled = usePageRefresh(loaded, waiting ? FIRST_HEARTBEAT_MS : null);
  const reload = useLatest(useReload());
  const latest = useLatest(loaded);

  useEffect(() => {
    if (waiting || invalid !== null) return;
    const loadedAt = Date.now();
    return followNode(
      { id, tag },
      {
        changed(next) {
          clock.set(Date.parse(next.updatedAt));
          setDetails(next);
          const old = Date.now() - loadedAt > RELOAD_MS;
          if (old || frameOf(next) !== frameOf(latest.current)) reload.current();
        },
        connected() {
          setStream({ state: 'live' });
          if (latest.current.stale) reload.current();
        },
        lost: () =>
          setStream((before) =>
            before.state === 'stale' ? before : { state: 'stale', asOf: clock.now() },
          ),
      },
    );
    // Loaded again, the stream goes on from there.
  }, [id, tag, waiting, invalid, clock, latest, reload]);

  const isNewer = details !== null && details.updatedAt > loaded.updatedAt;
  const node = isNewer && details.id === id ? { ...loaded, ...details } : loaded;
  return { node, connection: waiting || stale ? polled : stream };
}

/** What the page shows around the live values: a change of it needs more than the stream tells. */
const frameOf = ({ peer, blocked, hidden, names, genesis }: FollowedDetails | LoadedNode) =>
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
