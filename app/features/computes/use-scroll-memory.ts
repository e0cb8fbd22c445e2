import { useLocation, useNavigationType } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useIsomorphicLayoutEffect } from '#app/lib/use-isomorphic-layout-effect.ts';

/** How far down (px) each entry of the history was when it was left, by its key. */
const left = new Map<string, number>();

/**
 * Back to a long list goes to where it was left. The router tries as soon as the page is there, but
 * then it has only the server's rows and is not that long yet: `whole` says when it is.
 */
export function useScrollMemory(whole: boolean): void {
  const { key } = useLocation();
  const cameBack = (useNavigationType() as string) === 'POP';
  const waiting = useRef(cameBack ? left.get(key) : undefined);

  useIsomorphicLayoutEffect(
    // While the list is still in the document.
    () => () => void left.set(key, window.scrollY),
    [key],
  );
  useEffect(() => {
    if (!whole || waiting.current === undefined) return;
    const target = waiting.current;
    // The list measures its first rows in the next frame, and keeps its place while it does.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        waiting.current = undefined;
        if (target > window.scrollY) window.scrollTo(0, target);
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [whole]);
}
