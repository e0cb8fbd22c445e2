import { useLocation, useNavigate, useNavigation } from '@remix-run/react';
import { startTransition, useCallback, useEffect, useReducer, useRef } from 'react';
import { useLatest } from './polling.ts';
import { useIsomorphicLayoutEffect } from './use-isomorphic-layout-effect.ts';

/**
 * Keeps the URL in step with something that changes often, such as typed text or the view of a map: once that
 * rests, the URL of the history entry is replaced. One navigation ends another, so a link that was clicked
 * meanwhile goes first, however slow its page is; if this page is still open after it, the URL follows then.
 * Only the hook's own navigation is ended by its next one.
 * @param restMs how long it rests, ms
 * @param href the URL as it should be by then; null: as it is
 * @returns `changed`: it has changed again. `stop`: the URL need not follow any more.
 */
export function useRestingUrl(
  restMs: number,
  href: () => string | null,
): { changed: () => void; stop: () => void } {
  const navigate = useNavigate();
  const entry = useLocation();
  const { location: loading } = useNavigation();
  const [rests, countRest] = useReducer((count: number) => count + 1, 0);
  const latest = useLatest({ href, entry });
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const due = useRef(false);
  /** Where our own latest navigation leads. */
  const own = useRef<string | null>(null);

  const stop = useCallback(() => {
    clearTimeout(timer.current);
    due.current = false;
  }, []);
  const changed = useCallback(() => {
    stop();
    timer.current = setTimeout(() => {
      due.current = true;
      // Navigations are transitions too. So a link that was clicked before now is known when this takes effect.
      startTransition(countRest);
    }, restMs);
  }, [stop, restMs]);
  useEffect(() => stop, [stop]);

  // Before the next click can be handled.
  useIsomorphicLayoutEffect(() => {
    if (!due.current || (loading && loading.pathname + loading.search !== own.current)) return;
    due.current = false;
    const { href, entry } = latest.current;
    own.current = href();
    if (own.current !== null)
      navigate(own.current, {
        replace: true,
        preventScrollReset: true,
        state: entry.state as unknown,
      });
  }, [rests, loading, latest, navigate]);

  return { changed, stop };
}
