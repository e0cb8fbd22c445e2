import { useNavigation, useRevalidator } from '@remix-run/react';
import { useEffect, useRef, useState } from 'react';
import { whileVisible } from '#app/lib/while-visible.ts';

/** Another server may answer the page, and learns of a change this much later than the one with the stream (ms). */
const REPLICATION_MS = 2000;
/** The wait before the stream is opened again, once EventSource gave up (ms). */
const RETRY_MS = 3000;

/**
 * Loads the page again whenever the queue changes while the page is visible.
 * @param signedIn without a session there is no stream
 * @returns whether changes arrive as they happen
 */
export function useQueueChanges(signedIn: boolean): boolean {
  const [connected, setConnected] = useState(false);
  const [changes, setChanges] = useState(0);
  useReloadOn(changes);

  useEffect(() => {
    if (!signedIn) return;
    return whileVisible(() => {
      let left = false;
      let retry: ReturnType<typeof setTimeout> | undefined;
      let replicated: ReturnType<typeof setTimeout> | undefined;
      let subscription: { unsubscribe(): void } | undefined;
      const count = () => setChanges((before) => before + 1);
      const changed = () => {
        count();
        clearTimeout(replicated);
        replicated = setTimeout(count, REPLICATION_MS);
      };
      const open = async () => {
        const { trpc } = await import('#app/lib/trpc.client.ts');
        if (left) return;
        const closed = () => {
          if (left) return;
          setConnected(false);
          // If the session has ended, loading again shows that.
          changed();
          retry = setTimeout(() => void open(), RETRY_MS);
        };
        subscription = trpc.review.queue.changes.subscribe(undefined, {
          onData: changed,
          onConnectionStateChange: ({ state }) => setConnected(state === 'pending'),
          onError: closed,
          onComplete: closed,
        });
      };
      // If the script of the stream can't be loaded, the page still refreshes itself now and then.
      open().catch(() => undefined);
      return () => {
        left = true;
        clearTimeout(retry);
        clearTimeout(replicated);
        subscription?.unsubscribe();
        setConnected(false);
      };
    });
  }, [signedIn]);
  return connected;
}

/** Loads the page again after each change, once it is not loading anyway: a second request would cancel the first. */
function useReloadOn(changes: number): void {
  const loaded = useRef(changes);
  const { state, revalidate } = useRevalidator();
  const idle = useNavigation().state === 'idle' && state === 'idle';
  useEffect(() => {
    if (!idle || loaded.current === changes) return;
    loaded.current = changes;
    revalidate();
  }, [idle, changes, revalidate]);
}
