import { useLocation, useRevalidator } from '@remix-run/react';
import { useRef } from 'react';
import { useIsomorphicLayoutEffect } from './use-isomorphic-layout-effect.ts';

/**
 * A page that refreshes itself stays where one has scrolled it to. ScrollRestoration takes a refresh for a
 * navigation, and when the answer comes goes back to where the page was when it asked. To be used above it,
 * so that this looks first.
 */
export function useScrollKept(): void {
  const { state } = useRevalidator();
  const { key } = useLocation();
  const shown = useRef(key);
  useIsomorphicLayoutEffect(() => {
    const refreshed = state === 'idle' && shown.current === key;
    shown.current = key;
    if (!refreshed) return;
    const { scrollX, scrollY } = window;
    queueMicrotask(() => window.scrollTo(scrollX, scrollY));
  }, [state, key]);
}
