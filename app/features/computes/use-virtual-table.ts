import { useLocation, useNavigationType } from '@remix-run/react';
import { useEffect, useRef, useState } from 'react';
import { useIsomorphicLayoutEffect } from '#app/lib/remix-workarounds/use-isomorphic-layout-effect.ts';
import type * as virtualTable from './virtual-compute-table.tsx';

/**
 * The table that renders only the rows in view, once its script has arrived. The first rows don't wait for it.
 * @param needed whether the list is that long: a short one needs no script
 */
export function useVirtualTable(needed: boolean) {
  const [module, setModule] = useState<typeof virtualTable | null>(null);
  useEffect(() => {
    if (!needed) return;
    // Without this script the list keeps its pages.
    import('./virtual-compute-table.tsx').then(setModule, () => undefined);
  }, [needed]);
  return module;
}

/**
 * Keeps the focus on a link when another table replaces the one with the link.
 *
 * @param table changes when the table is replaced
 * @returns the attributes of the element around the table
 */
export function useKeptFocus(table: unknown) {
  const container = useRef<HTMLDivElement>(null);
  const focused = useRef<string | null>(null);
  useIsomorphicLayoutEffect(() => {
    if (focused.current === null || document.activeElement !== document.body) return;
    const links = container.current?.querySelectorAll('a') ?? [];
    const same = [...links].find((link) => link.getAttribute('href') === focused.current);
    same?.focus({ preventScroll: true });
  }, [table]);
  return {
    ref: container,
    onFocus: ({ target }: React.FocusEvent) => {
      focused.current = target.getAttribute('href');
    },
    // Not called when React removes the focused element.
    onBlur: () => {
      focused.current = null;
    },
  };
}

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
