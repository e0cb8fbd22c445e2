import { useEffect, useState } from 'react';

/** A second press within this time (ms) is the same one: a finger that slipped decides nothing twice. */
export const PRESS_ONCE_MS = 600;

/**
 * Tells a second press from a first one. What opens after a decision stands where the last one stood, so a double click
 * or a key that bounces would decide that too.
 */
export interface Presses {
  /** Something was pressed. @param what empty for what may be pressed twice */
  pressed: (what: string) => void;
  /** Whether this is the last press once more. As long as it goes on, as with a key that is held down, it is. */
  again: (what: string) => boolean;
}

/** @param now the time, ms */
export function pressesAt(now: () => number): Presses {
  let last = { what: '', at: -Infinity };
  const pressed = (what: string) => void (last = { what, at: now() });
  return {
    pressed,
    again(what) {
      const at = now();
      const same = what === last.what && at >= last.at && at - last.at < PRESS_ONCE_MS;
      if (same) pressed(what);
      return same;
    },
  };
}

/**
 * The presses of a page. The second click of a double click on a button that accepts is dropped, though by then the
 * button is the next registration's.
 */
export function usePresses(): Presses {
  const [presses] = useState(() => pressesAt(Date.now));
  useEffect(() => {
    const click = (event: MouseEvent) => {
      const accepts = event.target instanceof Element && event.target.closest(ACCEPT) !== null;
      if (accepts && presses.again(ACCEPT)) event.preventDefault();
      else presses.pressed(accepts ? ACCEPT : '');
    };
    document.addEventListener('click', click, { capture: true });
    return () => document.removeEventListener('click', click, { capture: true });
  }, [presses]);
  return presses;
}

const ACCEPT = 'button[name="intent"][value="accept"]';
