import { useLocation, useNavigation, useRevalidator } from '@remix-run/react';
import { useEffect, useState } from 'react';
import { useClock } from './clock.ts';
import { type Connection, usePolling } from './polling.ts';
import { rememberPage } from './open-page.client.ts';
import type { MaybeStale } from './stale-while-offline.ts';

/** How often a page checks for a new session after its own has ended (ms). */
export const SIGNED_OUT_MS = 20_000;

/** Loads the page again, unless it is being loaded or a form is being sent. */
export function useReload(): () => void {
  const { state, revalidate } = useRevalidator();
  const navigating = useNavigation().state !== 'idle';
  return () => {
    if (state === 'idle' && !navigating) revalidate();
  };
}

/** Remembers the page for offlineLoader, as long as it is open. */
export function useRememberPage(data: unknown): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (typeof data === 'object' && data !== null) return rememberPage(pathname, data);
  }, [pathname, data]);
}

/**
 * For a page that is too small for an event stream: loads it again every few seconds while it is visible, and at
 * once when it becomes visible or the network returns. While the service can't be reached it keeps what it
 * shows. A route needs `export { offlineLoader as clientLoader }` as well.
 * @param everyMs how often (ms); null: it doesn't, because something else keeps the page up to date
 * @param hiddenMs how often it loads while hidden (ms), for pages whose title shows a state; by default never
 */
export function usePageRefresh(
  data: { updatedAt: string } & MaybeStale,
  everyMs: number | null = 10_000,
  hiddenMs: number | null = null,
): Connection {
  const clock = useClock();
  const reload = useReload();
  const [first] = useState(data);
  const updatedAt = Date.parse(data.updatedAt);

  useRememberPage(data);
  useEffect(() => {
    if (!data.stale) clock.set(Date.parse(data.updatedAt));
  }, [clock, data]);

  const atLeast = data.stale === 'signed-out' ? SIGNED_OUT_MS : 0;
  usePolling(reload, {
    everyMs: everyMs === null ? null : Math.max(everyMs, atLeast),
    hiddenMs: hiddenMs === null ? null : Math.max(hiddenMs, atLeast),
  });

  if (data.stale)
    return { state: 'stale', asOf: updatedAt, signedOut: data.stale === 'signed-out' };
  return data === first || everyMs === null ? { state: 'starting' } : { state: 'polling', everyMs };
}
