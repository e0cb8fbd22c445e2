import { useState, type FocusEvent, type PointerEvent } from 'react';
import { steadyRows } from './steady-rows.ts';

/**
 * Keeps the order of a list while the pointer or the focus is in it, and counts what would change. Once counted, it waits
 * for `apply`, so that nothing moves under a pointer that has just left for the button.
 * @param fresh the rows in the order of now
 * @param order what the order follows from, such as the filters: with another one nothing waits
 * @param current a row of the whole list by its id
 */
export function useSteadyRows<Row extends { id: string }>(
  fresh: Row[],
  order: string,
  current: (id: string) => Row | undefined,
) {
  const [isHovered, setHovered] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [stands, setStands] = useState({ fresh, order, rows: fresh, changes: 0 });
  const now = { fresh, order, rows: fresh, changes: 0 };
  let shown = stands;
  if (stands.fresh !== fresh || stands.order !== order) {
    const stay = stands.order === order && (isHovered || isFocused || stands.changes > 0);
    shown = stay ? { ...now, ...steadyRows(stands.rows, fresh, current) } : now;
    // Without changes it is the fresh order anyway.
    if (shown.changes === 0) shown = now;
    setStands(shown);
  }
  return {
    rows: shown.rows,
    changes: shown.changes,
    apply: () => setStands(now),
    /** Attributes of the element around the list. */
    use: {
      onPointerEnter: ({ pointerType }: PointerEvent) =>
        pointerType === 'mouse' && setHovered(true),
      onPointerLeave: () => setHovered(false),
      onFocus: () => setFocused(true),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
        if (!currentTarget.contains(relatedTarget)) setFocused(false);
      },
    },
  };
}
