import { useLocation, useRevalidator } from '@remix-run/react';
import { useRef } from 'react';
import { useIsomorphicLayoutEffect } from '#app/lib/remix-workarounds/use-isomorphic-layout-effect.ts';

/**
 * Keeps the scroll position of a page that refreshes itself. ScrollRestoration takes a refresh for a navigation
 * and, when the response arrives, scrolls back to where the page was when the refresh began. Use this above it,
 * so that it reads the position first.
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
