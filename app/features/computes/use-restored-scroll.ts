import { useLocation, useNavigationType } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useIsomorphicLayoutEffect } from '#app/lib/use-isomorphic-layout-effect.ts';

/** The scroll position (px) of each history entry when the visitor left it, by the entry's key. */
const positions = new Map<string, number>();

/**
 * Restores the scroll position of a long list after Back. The router does so as soon as the page is rendered,
 * but then the list has only the server's rows and is too short.
 *
 * @param complete whether the list has all its rows
 */
export function useRestoredScroll(complete: boolean): void {
  const { key } = useLocation();
  const cameBack = (useNavigationType() as string) === 'POP';
  const pending = useRef(cameBack ? positions.get(key) : undefined);

  useIsomorphicLayoutEffect(
    // In a layout effect the list is still in the document.
    () => () => void positions.set(key, window.scrollY),
    [key],
  );
  useEffect(() => {
    if (!complete || pending.current === undefined) return;
    const target = pending.current;
    // The list measures its first rows in the next frame, and adjusts the scroll position while it does.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        pending.current = undefined;
        if (target > window.scrollY) window.scrollTo(0, target);
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [complete]);
}
