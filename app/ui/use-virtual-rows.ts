import {
  defaultRangeExtractor,
  useWindowVirtualizer,
  type Range,
  type VirtualItem as VirtualEntry,
} from '@tanstack/react-virtual';
import {
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  type RefObject,
} from 'react';
import { useIsomorphicLayoutEffect } from '#app/lib/remix-workarounds/use-isomorphic-layout-effect.ts';

/** A row to render, or a gap in the place of rows that are out of view. */
export type VirtualItem<Row> =
  | { row: Row; index: number }
  | { key: string; /** px */ height: number };

/** What a table needs to render only the rows in view. */
export interface VirtualRows<Row> {
  body: RefObject<HTMLTableSectionElement>;
  items: VirtualItem<Row>[];
  /** Measures a rendered row, which has its index in `data-index` and its id in `data-id`. */
  measure: (row: HTMLTableRowElement | null) => void;
}

export interface VirtualRowsOptions<Row> {
  rows: Row[];
  id: (row: Row) => string;
  /** Height of a usual row (px) at the window's width. Each row is measured once it is rendered. */
  estimateHeight: () => number;
}

/** Rows rendered beyond either end of the window, so that the Tab key always finds a next one. */
const OVERSCAN = 12;

/**
 * The rows of a long list that are in view, and gaps for the others. The row with the focus stays rendered
 * however far the window scrolls away from it. For the browser only.
 */
export function useVirtualRows<Row>(options: VirtualRowsOptions<Row>): VirtualRows<Row> {
  const { rows, id, estimateHeight } = options;
  const body = useRef<HTMLTableSectionElement>(null);
  const focused = useFocusedRow(body);
  const pinned = focused === null ? -1 : rows.findIndex((row) => id(row) === focused);
  const [top, setTop] = useState(0);

  // oxlint-disable-next-line react/incompatible-library -- No compiler memoizes what it returns.
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: rows.length,
    overscan: OVERSCAN,
    scrollMargin: top,
    estimateSize: estimateHeight,
    getItemKey: useCallback(
      (index: number) => {
        const row = rows[index];
        return row === undefined ? index : id(row);
      },
      [rows, id],
    ),
    rangeExtractor: useCallback(
      (range: Range) => {
        const visible = defaultRangeExtractor(range);
        return pinned < 0 || visible.includes(pinned)
          ? visible
          : [...visible, pinned].sort((a, b) => a - b);
      },
      [pinned],
    ),
    // Known before the first rendering, which would have no rows otherwise.
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    initialOffset: () => window.scrollY,
  });

  // Any rendering may change the height of what is above the list.
  useIsomorphicLayoutEffect(() => {
    if (body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY);
  });

  // New rows of a fast scroll are rendered in slices, between which the page stays responsive: the list may lag behind
  // by a frame or two. The rows that are there already are not rendered again.
  const inView = virtualizer.getVirtualItems();
  const height = virtualizer.getTotalSize();
  const shown = useDeferredValue(useMemo(() => ({ inView, top, height }), [inView, top, height]));
  const items = useMemo(() => itemsOf(shown, rows, id), [shown, rows, id]);
  const measure = virtualizer.measureElement;
  return useMemo(() => ({ body, items, measure }), [items, measure]);
}

/** The rows and the gaps between them, px from the top of the page. */
function itemsOf<Row>(
  { inView, top, height }: { inView: VirtualEntry[]; top: number; height: number },
  rows: readonly Row[],
  id: (row: Row) => string,
): VirtualItem<Row>[] {
  const items: VirtualItem<Row>[] = [];
  let end = top;
  for (const { index, start, end: next } of inView) {
    const row = rows[index];
    if (row === undefined) continue;
    const key = `before ${items.length === 0 ? 'first' : id(row)}`;
    if (start > end) items.push({ key, height: start - end });
    items.push({ row, index });
    end = next;
  }
  const bottom = top + height;
  if (bottom > end) items.push({ key: 'after last', height: bottom - end });
  return items;
}

/** The id of the row that has the focus. */
function useFocusedRow(body: RefObject<HTMLTableSectionElement>): string | null {
  const [id, setId] = useState<string | null>(null);
  useEffect(() => {
    const { current } = body;
    if (!current) return;
    const follow = (element: unknown) => {
      const row = element instanceof Element ? element.closest<HTMLElement>('tr[data-id]') : null;
      setId((row && current.contains(row) && row.dataset['id']) || null);
    };
    // Between two links nothing has the focus, but the event says where it goes.
    const onFocus = ({ type, target, relatedTarget }: FocusEvent) =>
      follow(type === 'focusin' ? target : relatedTarget);
    current.addEventListener('focusin', onFocus);
    current.addEventListener('focusout', onFocus);
    follow(document.activeElement);
    return () => {
      current.removeEventListener('focusin', onFocus);
      current.removeEventListener('focusout', onFocus);
    };
  }, [body]);
  return id;
}
