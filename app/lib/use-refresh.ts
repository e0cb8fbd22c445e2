import { useLocation, useNavigation, useRevalidator } from '@remix-run/react';
import { useEffect, useState } from 'react';
import { setServerMoment } from './clock.ts';
import { show, type MayBeKept } from './stale-while-offline.ts';
import type { Connection } from '#app/features/live/live-store.ts';

/**
 * For a page that is too small for an event stream: while somebody looks at it, it asks its own loader
 * again every few seconds. It shows what it had for as long as the server cannot be reached.
 *
 * A route needs both: `useRefresh(data)` in its page, and `export { refreshLoader as clientLoader }`.
 */
export { keptLoader as refreshLoader } from './stale-while-offline.ts';

/** What such a page is made of: of one moment. */
interface Dated {
  updatedAt: string;
}

/** Where nobody is signed in any more it asks no oftener than this: only to see whether somebody is (ms). */
const ENDED_MS = 20_000;

/**
 * Asks the page's loader again, `everyMs` after its last answer, while the page can be seen; at once when
 * it comes back into sight or the network does.
 * @param hiddenMs how often it asks while it cannot be seen; never, where the tab's title tells nothing new
 */
export function useRefresh(
  data: Dated & MayBeKept,
  everyMs = 10_000,
  hiddenMs?: number,
): Connection {
  const { pathname } = useLocation();
  const { state, revalidate } = useRevalidator();
  const idle = useNavigation().state === 'idle' && state === 'idle';
  const [first] = useState(data);

  useEffect(() => {
    if (!data.kept) setServerMoment(Date.parse(data.updatedAt));
    return show(pathname, data);
  }, [pathname, data]);

  useEffect(() => {
    if (!idle) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const visible = () => document.visibilityState === 'visible';
    const now = () => visible() && revalidate();
    const wait = () => {
      clearTimeout(timer);
      const often = visible() ? everyMs : hiddenMs;
      const ms = often && data.kept === 'ended' ? Math.max(often, ENDED_MS) : often;
      if (ms !== undefined) timer = setTimeout(revalidate, ms);
    };
    const change = () => {
      wait();
      now();
    };
    wait();
    document.addEventListener('visibilitychange', change);
    window.addEventListener('online', now);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', change);
      window.removeEventListener('online', now);
    };
  }, [idle, data, everyMs, hiddenMs, revalidate]);

  if (data.kept)
    return {
      state: 'stale',
      asOf: Date.parse(data.updatedAt),
      signedOut: data.kept === 'ended',
    };
  return data === first ? { state: 'starting' } : { state: 'polling', everyMs };
}
