import { useLocation, useNavigate, useNavigation } from '@remix-run/react';
import { startTransition, useCallback, useEffect, useReducer, useRef } from 'react';
import { useLatest } from './polling.ts';
import { useIsomorphicLayoutEffect } from './use-isomorphic-layout-effect.ts';

/**
 * The URL of something that changes often, such as what is typed or the view of a map: once it rests, its history
 * entry gets that URL. A link that is clicked before goes first, however slow its page is, because one
 * navigation ends another; if this page is still open then, the URL follows. Only its own navigation is ended by the
 * next one.
 * @param restMs how long it rests, ms
 * @param href called at that time; null: the URL stays
 * @returns `changed` starts the rest anew, `stop` ends it
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
