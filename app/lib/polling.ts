import { useEffect, useRef } from 'react';
import { SERVICE_BACK } from './service-away.ts';
import { useIsomorphicLayoutEffect } from '#app/lib/remix-workarounds/use-isomorphic-layout-effect.ts';

/** How an open page is connected to the service. */
export type Connection =
  /** As rendered by the server; the state of the stream isn't known yet. */
  | { state: 'starting' }
  /** Changes arrive as they happen. */
  | { state: 'live' }
  /** There is no stream; the page asks again every `everyMs` (10 s by default). */
  | { state: 'polling'; everyMs?: number }
  /** Disconnected: the data was right at `asOf` (ms, by the server's clock). */
  | { state: 'stale'; asOf: number; signedOut?: boolean };

/** The latest value of something that an effect reads without running again when it changes. */
export function useLatest<T>(value: T) {
  const latest = useRef(value);
  useIsomorphicLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}

export interface PollingOptions {
  /** Milliseconds from the end of one poll to the next while the page is visible; null: it doesn't poll. */
  everyMs: number | null;
  /** The same while the page is hidden; it pauses by default. */
  hiddenMs?: number | null | undefined;
  /** Polls at once as well, not only after the first wait. */
  immediately?: boolean;
  /** Polls when the window gets the focus, too: somebody may have signed in in another tab. */
  onFocus?: boolean;
}

/**
 * Runs `poll` repeatedly, and at once when the page becomes visible or the network returns. One poll runs at a
 * time. `poll` deals with its own failures; the signal aborts when the component is gone.
 */
export function usePolling(
  poll: (signal: AbortSignal) => unknown,
  { everyMs, hiddenMs = null, immediately = false, onFocus = false }: PollingOptions,
): void {
  const latest = useLatest(poll);
  useEffect(() => {
    if (everyMs === null) return;
    const gone = new AbortController();
    const { signal } = gone;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running = false;
    const wait = () => {
      clearTimeout(timer);
      const ms = document.hidden ? hiddenMs : everyMs;
      if (ms !== null && !signal.aborted) timer = setTimeout(() => void run(), ms);
    };
    const run = async () => {
      clearTimeout(timer);
      if (running) return;
      running = true;
      try {
        await latest.current(signal);
      } finally {
        running = false;
        wait();
      }
    };
    const resume = () => (document.hidden ? wait() : void run());
    if (immediately) void run();
    else wait();
    document.addEventListener('visibilitychange', resume, { signal });
    window.addEventListener('online', resume, { signal });
    window.addEventListener(SERVICE_BACK, resume, { signal });
    if (onFocus) window.addEventListener('focus', resume, { signal });
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [latest, everyMs, hiddenMs, immediately, onFocus]);
}
