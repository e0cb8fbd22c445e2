import { useCallback, useEffect, useRef, type RefObject } from 'react';

const EVENTS = ['pointerdown', 'focusin', 'keydown'];

/**
 * A `details` that lies over the page: it works without scripts, and with them Escape closes it, which returns the focus
 * to its button, and so does a click or the focus beside it.
 */
export function useDetails(): { details: RefObject<HTMLDetailsElement>; close: () => void } {
  const details = useRef<HTMLDetailsElement>(null);
  const close = useCallback(() => {
    const { current } = details;
    if (!current?.open) return;
    if (current.contains(document.activeElement)) current.querySelector('summary')?.focus();
    current.open = false;
  }, []);
  useEffect(() => {
    const closeBy = (event: Event) => {
      const { current } = details;
      if (event instanceof KeyboardEvent) {
        if (event.key === 'Escape') close();
      } else if (current?.open && !current.contains(event.target as Node)) current.open = false;
    };
    for (const event of EVENTS) document.addEventListener(event, closeBy);
    return () => {
      for (const event of EVENTS) document.removeEventListener(event, closeBy);
    };
  }, [close]);
  return { details, close };
}
