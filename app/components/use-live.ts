import { useEffect, useState, useSyncExternalStore } from 'react';
import { setServerMoment } from '../clock.ts';
import { LiveStore } from '../live-store.ts';
import type { LiveSource } from '../live.client.ts';

type Client = typeof import('../live.client.ts');

/**
 * A list as this page shows it: as the server rendered it, then kept level by the event stream.
 * `since` and `source` are constants of the page; `source` names one in the script that follows, which
 * comes after the page.
 */
export function useLive<Head extends { updatedAt: string }, Row extends { id: string }>(
  loaded: { head: Head; cursor: string },
  since: (row: Row) => string,
  source: (client: Client) => LiveSource<Head, Row>,
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
