import { useEffect, useRef, useState } from 'react';
import { useIsomorphicLayoutEffect } from '#app/lib/use-isomorphic-layout-effect.ts';
import type { VirtualComputeTable } from './virtual-compute-table.tsx';

interface VirtualTable {
  VirtualComputeTable: typeof VirtualComputeTable;
}

/** The table for all rows, once its script has arrived. The first rows don't wait for it. */
export function useVirtualTable(): VirtualTable | null {
  const [module, setModule] = useState<VirtualTable | null>(null);
  useEffect(() => {
    // Without this script the list keeps its pages.
    import('./virtual-compute-table.tsx').then(setModule, () => undefined);
  }, []);
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
