import {
  useLocation,
  useNavigation,
  useRevalidator,
  type ClientLoaderFunctionArgs,
} from '@remix-run/react';
import { useEffect, useState } from 'react';
import { setServerMoment } from '../clock.ts';
import type { Connection } from '../live-store.ts';

/**
 * For a page that is too small for an event stream: while somebody looks at it, it asks its own loader
 * again every few seconds. It shows what it had for as long as the server cannot be reached.
 *
 * A route needs both: `useRefresh(data)` in its page, and `export { refreshLoader as clientLoader }`.
 */

/** What such a page is made of: of one moment. */
interface Dated {
  updatedAt: string;
}
/** True of what the page showed before, where the last request failed. */
interface Kept {
  kept?: true;
}

/** An answer that takes longer than this counts as none (ms). */
const LIMIT_MS = 10_000;

/** What the open page shows, and of which address. */
let shown: { pathname: string; data: Dated } | undefined;

/**
 * The browser's side of the loader. Without it Remix puts its error page in the place of the one that is
 * open as soon as a single request fails.
 */
export async function refreshLoader({ request, serverLoader }: ClientLoaderFunctionArgs) {
  const { pathname } = new URL(request.url);
  let limit: ReturnType<typeof setTimeout> | undefined;
  try {
    return await Promise.race([
      serverLoader(),
      new Promise<never>((_, reject) => {
        limit = setTimeout(() => reject(new Error('no answer in time')), LIMIT_MS);
      }),
    ]);
  } catch (thrown) {
    // A redirect is no failure; and there is nothing to keep of another page.
    if (thrown instanceof Response || shown?.pathname !== pathname) throw thrown;
    return { ...shown.data, kept: true } satisfies Kept;
  } finally {
    clearTimeout(limit);
  }
}

/**
 * Asks the page's loader again, `everyMs` after its last answer, while the page can be seen; at once when
 * it comes back into sight or the network does.
 * @param hiddenMs how often it asks while it cannot be seen; never, where the tab's title tells nothing new
 */
export function useRefresh(data: Dated & Kept, everyMs = 10_000, hiddenMs?: number): Connection {
  const { pathname } = useLocation();
  const { state, revalidate } = useRevalidator();
  const idle = useNavigation().state === 'idle' && state === 'idle';
  const [first] = useState(data);

  useEffect(() => {
    shown = { pathname, data };
    if (!data.kept) setServerMoment(Date.parse(data.updatedAt));
    return () => (shown = undefined);
  }, [pathname, data]);

  useEffect(() => {
    if (!idle) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const visible = () => document.visibilityState === 'visible';
    const now = () => visible() && revalidate();
    const wait = () => {
      clearTimeout(timer);
      const ms = visible() ? everyMs : hiddenMs;
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

  if (data.kept) return { state: 'stale', asOf: Date.parse(data.updatedAt) };
  return data === first ? { state: 'starting' } : { state: 'polling', everyMs };
}
