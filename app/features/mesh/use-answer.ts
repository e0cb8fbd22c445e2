import { useEffect, useRef, useState } from 'react';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { useLatest } from '#app/lib/polling.ts';

/** How soon an answer follows a change of the network, ms: at once in a small one, calmly in a large one. */
const PACE_MS = { small: 1000, large: 10_000 };
/** Up to this many nodes a network is small. */
const SMALL = 1000;
/** How soon a question that found no answer is asked again, ms: at first, doubled each time, and at the latest. */
const RETRY_MS = { first: 1000, most: 30_000 };

/** The typed API, loaded once the page asks something. */
export const api = () => import('#app/lib/trpc.client.ts').then(({ trpc }) => trpc.mesh);

/** An answer of the server, and the question that it belongs to. */
export interface Answered<T> {
  key: string;
  data: T;
}

/**
 * What the server says to a question about the network: asked when the question changes, and again when the network
 * has changed or the window gets the focus, while the page is visible; after a refusal, when the server says, and after
 * another failure soon. The answer before stays until there is a new one, also while the service can't be reached.
 * @param key names the question; null: nothing is asked
 * @param initial the answer that came with the page
 */
export function useAnswer<T>(
  store: MeshStore,
  key: string | null,
  ask: (signal: AbortSignal) => Promise<T>,
  initial: Answered<T> | null = null,
): Answered<T> | null {
  const [answered, setAnswered] = useState(initial);
  const latest = useLatest(ask);
  /** The question that the page came with an answer to. */
  const fresh = useRef(initial?.key);

  useEffect(() => {
    const isFresh = key !== null && fresh.current === key;
    fresh.current = undefined;
    if (key === null) return;
    const gone = new AbortController();
    const { signal } = gone;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running = false;
    let missed = false;
    let endedAt = isFresh ? performance.now() : -Infinity;
    /** The server asks for no request before this. */
    let refusedUntil = -Infinity;
    let retryMs = RETRY_MS.first;

    const run = async () => {
      timer = undefined;
      running = true;
      missed = false;
      try {
        const data = await latest.current(signal);
        if (!signal.aborted) setAnswered({ key, data });
        retryMs = RETRY_MS.first;
      } catch (error) {
        // The connection status tells that there is something wrong.
        refusedUntil = performance.now() + (retryAfterMs(error) || retryMs);
        retryMs = Math.min(2 * retryMs, RETRY_MS.most);
        missed = true;
      }
      running = false;
      endedAt = performance.now();
      if (missed && !signal.aborted) askSoon();
    };
    const askSoon = () => {
      if (document.hidden || timer !== undefined) return;
      missed = running;
      if (running) return;
      const pace = isSmall(store) ? PACE_MS.small : PACE_MS.large;
      const at = Math.max(endedAt + pace, refusedUntil);
      timer = setTimeout(() => void run(), Math.max(0, at - performance.now()));
    };
    if (!isFresh) void run();
    const unsubscribe = store.subscribe(askSoon);
    window.addEventListener('focus', askSoon, { signal });
    document.addEventListener('visibilitychange', askSoon, { signal });
    return () => {
      gone.abort();
      clearTimeout(timer);
      unsubscribe();
    };
  }, [store, key, latest]);

  return answered;
}

/** How long a refusal by the typed API asks to wait, ms; 0 for another failure. */
function retryAfterMs(error: unknown): number {
  const { meta } = error as { meta?: { response?: Response } };
  return 1000 * Number(meta?.response?.headers?.get('retry-after') ?? 0);
}

function isSmall(store: MeshStore): boolean {
  let nodes = 0;
  for (const { counts } of store.rows()) {
    for (const count of counts) nodes += count;
    if (nodes > SMALL) return false;
  }
  return true;
}
