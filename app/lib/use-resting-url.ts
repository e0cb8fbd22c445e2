import { useLocation, useNavigate, useNavigation } from '@remix-run/react';
import { startTransition, useEffect, useReducer, useState } from 'react';
import { useLatest } from './polling.ts';
import { RestingUrl } from './resting-url.ts';
import { useIsomorphicLayoutEffect } from './use-isomorphic-layout-effect.ts';

/**
 * Keeps the URL in step with something that changes often, such as typed text or the view of a map: once that
 * rests, the URL of the history entry is replaced. One navigation ends another, so a link that was clicked
 * meanwhile goes first, however slow its page is; if this page is still open after it, the URL follows then.
 * Only the hook's own navigation is ended by its next one.
 * @param restMs how long it rests, ms; always the same
 * @param href the URL as it should be by then; null: as it is
 * @returns `changed`: it has changed again. `stop`: the URL need not follow any more.
 */
export function useRestingUrl(
  restMs: number,
  href: () => string | null,
): Pick<RestingUrl, 'changed' | 'stop'> {
  const navigate = useNavigate();
  const entry = useLocation();
  const { location: loading } = useNavigation();
  const [rests, countRest] = useReducer((count: number) => count + 1, 0);
  const latest = useLatest({ href, entry });
  // Navigations are transitions too. So a link that was clicked before it rests is known when this takes effect.
  const [resting] = useState(() => new RestingUrl(restMs, () => startTransition(countRest)));
  useEffect(() => resting.stop, [resting]);

  // Before the next click can be handled.
  useIsomorphicLayoutEffect(() => {
    const { href, entry } = latest.current;
    resting.follow(
      { loading: loading ? loading.pathname + loading.search : null, entry, navigate },
      href,
    );
  }, [rests, loading, latest, navigate, resting]);

  return resting;
}
