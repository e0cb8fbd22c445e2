import { useNavigation, useRevalidator } from '@remix-run/react';
import { useEffect, useState } from 'react';

/** Another server that answers the page may hear of a change this much later than the one that told of it (ms). */
const SETTLED_MS = 2000;
/** Waits before the stream is opened again where EventSource itself gave up (ms). */
const RETRY_MS = 3000;

/**
 * Asks the page's loader again whenever something of the queue changes, also while the page is in the
 * background: its title counts what waits.
 * @param signedIn without it there is nothing to be heard
 * @returns whether changes arrive as they happen
 */
export function useQueueChanges(signedIn: boolean): boolean {
  const [connected, setConnected] = useState(false);
  /** Changes that were heard of, and how many of them the page has asked for. */
  const [heard, setHeard] = useState(0);
  const [asked, setAsked] = useState(0);
  const { state, revalidate } = useRevalidator();
  const idle = useNavigation().state === 'idle' && state === 'idle';

  useEffect(() => {
    // One question at a time: a second one would cut off the first.
    if (!idle || heard === asked) return;
    setAsked(heard);
    revalidate();
  }, [idle, heard, asked, revalidate]);

  useEffect(() => {
    if (!signedIn) return;
    let left = false;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let subscription: { unsubscribe(): void } | undefined;
    let settled: ReturnType<typeof setTimeout> | undefined;
    const hear = () => setHeard((before) => before + 1);
    const changed = () => {
      hear();
      clearTimeout(settled);
      settled = setTimeout(hear, SETTLED_MS);
    };
    const open = async () => {
      const { trpc } = await import('#app/lib/trpc.client.ts');
      if (left) return;
      const closed = () => {
        if (left) return;
        setConnected(false);
        // Where the session has ended the page then knows.
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
    // Without its script the page asks its loader now and then.
    open().catch(() => undefined);
    return () => {
      left = true;
      clearTimeout(retry);
      clearTimeout(settled);
      subscription?.unsubscribe();
      setConnected(false);
    };
  }, [signedIn]);
  return connected;
}
