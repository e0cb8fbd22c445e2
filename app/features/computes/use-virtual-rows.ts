import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import type { Compute } from '#server/computes/computes.schema.ts';
import { useIsomorphicLayoutEffect } from '#app/lib/use-isomorphic-layout-effect.ts';

/** A row to be rendered, or a gap in the place of rows that are not. */
export type Part =
  { row: Compute; index: number } | { row?: undefined; key: string; /** px */ height: number };

/** Heights of a usual row (px) as the style sheet makes them; each row is measured once it is there. */
const ROW_HEIGHT = { table: 42, wide: 64, card: 87 };
/** Rows that are rendered beyond either end of the window, so that the Tab key always finds a next one. */
const OVERSCAN = 12;

/**
 * The rows of a long list that are in sight, and gaps for the others. The row that has the focus stays,
 * however far one scrolls away from it. Where `enabled` is false all rows are given back.
 */
export function useVirtualRows(
  rows: Compute[],
  enabled: boolean,
): {
  body: RefObject<HTMLTableSectionElement>;
  parts: Part[];
  measure: (row: HTMLTableRowElement | null) => void;
} {
  const body = useRef<HTMLTableSectionElement>(null);
  const focused = useFocusedRow(body);
  const pinned = focused === null ? -1 : rows.findIndex(({ id }) => id === focused);
  const [top, setTop] = useState(0);

  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    enabled,
    count: rows.length,
    overscan: OVERSCAN,
    scrollMargin: top,
    estimateSize: estimate,
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    rangeExtractor: useCallback(
      (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const visible = defaultRangeExtractor(range);
        return pinned < 0 || visible.includes(pinned)
          ? visible
          : [...visible, pinned].sort((a, b) => a - b);
      },
      [pinned],
    ),
    // Known before the first rendering: else that would have no rows.
    ...(typeof window !== 'undefined' && {
      initialRect: { width: window.innerWidth, height: window.innerHeight },
    }),
  });

  // What stands above the list may grow or shrink with any rendering.
  useIsomorphicLayoutEffect(() => {
    if (enabled && body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY);
  });

  const parts: Part[] = [];
  if (!enabled) rows.forEach((row, index) => parts.push({ row, index }));
  else {
    let end = top;
    const gap = (start: number, key: string) => {
      if (start > end) parts.push({ key, height: start - end });
    };
    for (const item of virtualizer.getVirtualItems()) {
      const row = rows[item.index];
      if (!row) continue;
      gap(item.start, `before ${parts.length === 0 ? 'first' : row.id}`);
      parts.push({ row, index: item.index });
      end = item.end;
    }
    gap(top + virtualizer.getTotalSize(), 'after last');
  }
  return { body, parts, measure: virtualizer.measureElement };
}

function estimate(): number {
  if (window.innerWidth >= 1100) return ROW_HEIGHT.table;
  return window.innerWidth >= 640 ? ROW_HEIGHT.wide : ROW_HEIGHT.card;
}

/** The id of the row that has the focus. */
function useFocusedRow(body: RefObject<HTMLTableSectionElement>): string | null {
  const [id, setId] = useState<string | null>(null);
  useEffect(() => {
    const { current } = body;
    if (!current) return;
    // On its way from one link to the next the focus is nowhere: the event knows where it goes.
    const look = ({ type, target, relatedTarget }: FocusEvent) => {
      const to = type === 'focusin' ? target : relatedTarget;
      const row = to instanceof Element ? to.closest<HTMLElement>('tr[data-id]') : null;
      setId(row?.dataset['id'] ?? null);
    };
    current.addEventListener('focusin', look);
    current.addEventListener('focusout', look);
    return () => {
      current.removeEventListener('focusin', look);
      current.removeEventListener('focusout', look);
    };
  }, [body]);
  return id;
}
