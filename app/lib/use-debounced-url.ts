import { useLocation, useNavigate, useNavigation } from '@remix-run/react';
import { startTransition, useEffect, useReducer, useState } from 'react';
import { useLatest } from './polling.ts';
import { useIsomorphicLayoutEffect } from '#app/lib/remix-workarounds/use-isomorphic-layout-effect.ts';

/**
 * Keeps the URL in step with something that changes often, such as typed text or the view of a map: once that
 * rests, the URL of the history entry is replaced. One navigation ends another, so a link that was clicked
 * meanwhile goes first, however slow its page is; if this page is still open after it, the URL follows then.
 * Only the hook's own navigation is ended by its next one.
 * @param restMs how long it rests, ms; always the same
 * @param href the URL as it should be by then; null: as it is
 * @returns `changed`: it has changed again. `stop`: the URL need not follow any more.
 */
export function useDebouncedUrl(
  restMs: number,
  href: () => string | null,
): Pick<DebouncedUrl, 'changed' | 'stop'> {
  const navigate = useNavigate();
  const entry = useLocation();
  const { location: loading } = useNavigation();
  const [rests, countRest] = useReducer((count: number) => count + 1, 0);
  const latest = useLatest({ href, entry });
  // Navigations are transitions too. So a link that was clicked before it rests is known when this takes effect.
  const [resting] = useState(() => new DebouncedUrl(restMs, () => startTransition(countRest)));
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

/** The router at one moment. */
interface Router {
  /** The path and query that a navigation leads to; null: none is under way. */
  loading: string | null;
  /** The history entry that is shown. */
  entry: { state: unknown };
  navigate: (
    to: string,
    options: { replace: true; preventScrollReset: true; state: unknown },
  ) => void;
}

/**
 * When the URL follows something that changes often: once that rests, but not before a link that was clicked
 * meanwhile has led somewhere. See useDebouncedUrl, which ties it to the router.
 */
export class DebouncedUrl {
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** It rests, and the URL hasn't followed yet. */
  #due = false;
  /** Where our own latest navigation leads. */
  #own: string | null = null;

  /** @param onRest called when it rests; `follow` is then to be called as soon as the router may navigate */
  constructor(
    private readonly restMs: number,
    private readonly onRest: () => void,
  ) {}

  /** It has changed again. */
  readonly changed = (): void => {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#due = true;
      this.onRest();
    }, this.restMs);
  };

  /** The URL need not follow any more. */
  readonly stop = (): void => {
    clearTimeout(this.#timer);
    this.#due = false;
  };

  /**
   * To be called whenever a navigation begins or ends, too.
   * @param href the URL as it should be by now; null: as it is
   */
  follow({ loading, entry, navigate }: Router, href: () => string | null): void {
    if (!this.#due || (loading !== null && loading !== this.#own)) return;
    this.#due = false;
    this.#own = href();
    if (this.#own !== null)
      navigate(this.#own, { replace: true, preventScrollReset: true, state: entry.state });
  }
}
