import { useLocation, useMatches, useNavigation, useRevalidator } from '@remix-run/react';
import { useEffect } from 'react';
import { keptOf, show, type Kept } from './stale-while-offline.ts';

/** How often a page that has no answer asks again; where the session has ended, to see whether there is another one (ms). */
const AGAIN_MS: Record<Kept, number> = { away: 5000, ended: 20_000 };

/**
 * Keeps the open page (app/lib/stale-while-offline.ts), and asks for it again while it shows what it had: every few seconds, and
 * as soon as somebody comes back to it, from signing in elsewhere or because the network did.
 * @returns why it shows what it had
 */
export function useStay(): Kept | undefined {
  const { pathname } = useLocation();
  const data = useMatches().at(-1)?.data;
  const { state, revalidate } = useRevalidator();
  const idle = useNavigation().state === 'idle' && state === 'idle';
  const kept = keptOf(data);

  useEffect(() => {
    if (typeof data === 'object' && data !== null) return show(pathname, data);
  }, [pathname, data]);

  useEffect(() => {
    if (!kept || !idle) return;
    const now = () => {
      if (document.visibilityState === 'visible') revalidate();
    };
    const timer = setInterval(now, AGAIN_MS[kept]);
    window.addEventListener('focus', now);
    window.addEventListener('online', now);
    document.addEventListener('visibilitychange', now);
    return () => {
      clearInterval(timer);
      window.removeEventListener('focus', now);
      window.removeEventListener('online', now);
      document.removeEventListener('visibilitychange', now);
    };
  }, [kept, idle, revalidate]);
  return kept;
}
