import { useEffect, useRef, useSyncExternalStore } from 'react';

/**
 * Single keys, for who works through a queue. They can be switched off: who dictates, or presses keys by
 * accident, must not decide by it.
 */
export const KEYS = [
  { keys: ['j', 'k'], does: 'Next and previous; the arrow keys do the same' },
  { keys: ['Enter', 'o'], does: 'Open' },
  { keys: ['a'], does: 'Accept' },
  { keys: ['r'], does: 'Reject: choose or write the reason' },
  { keys: ['u'], does: 'Undo the last decision, while it waits' },
  { keys: ['?'], does: 'This help' },
] as const;

const STORED = 'review-keys';
const CHANGED = 'review-keys-changed';

function subscribe(listener: () => void): () => void {
  window.addEventListener(CHANGED, listener);
  return () => window.removeEventListener(CHANGED, listener);
}

/** Whether the keys are on, and how to switch them; remembered by this browser. */
export function useKeysSwitch(): [boolean, (on: boolean) => void] {
  const on = useSyncExternalStore(
    subscribe,
    () => localStorage.getItem(STORED) !== 'off',
    () => true,
  );
  const set = (wanted: boolean) => {
    localStorage.setItem(STORED, wanted ? 'on' : 'off');
    window.dispatchEvent(new Event(CHANGED));
  };
  return [on, set];
}

/** What one types in; keys mean letters there. */
const TYPING = 'input, textarea, select, [contenteditable]';

/** Presses the page's own buttons: what a key does is what its button does. */
export function useKeys(help: () => void): void {
  const [on] = useKeysSwitch();
  const showHelp = useRef(help);
  showHelp.current = help;
  useEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.defaultPrevented || event.repeat || event.isComposing) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target instanceof Element && target.closest(TYPING)) return;
      if (document.querySelector('dialog[open]')) return;
      if (!act(key)) return;
      event.preventDefault();
    };
    const act = (key: string): boolean => {
      switch (key) {
        case 'j':
        case 'ArrowDown':
          return move(1);
        case 'k':
        case 'ArrowUp':
          return move(-1);
        case 'o':
          return open();
        case 'a':
        case 'u':
          return click(key);
        case 'r':
          return end();
        case '?':
          showHelp.current();
          return true;
        default:
          return false;
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [on]);
}

const rows = () => [...document.querySelectorAll<HTMLElement>('[data-row]')];

/** From the row that has the focus, else from the one that is open. Enter opens a row by itself: it is a link. */
function move(by: number): boolean {
  const all = rows().filter((row) => row.offsetParent !== null);
  if (all.length === 0) return false;
  const focused = all.findIndex((row) => row === document.activeElement);
  const at = focused >= 0 ? focused : all.findIndex((row) => row.hasAttribute('aria-current'));
  const to = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
  all[Math.min(Math.max(to, 0), all.length - 1)]?.focus();
  return true;
}

function open(): boolean {
  const row = rows().find((row) => row === document.activeElement);
  row?.click();
  return row !== undefined;
}

function click(key: string): boolean {
  const button = document.querySelector<HTMLElement>(`[data-key="${key}"]`);
  button?.click();
  return button !== null;
}

/** Opens the form of the reason and goes to it. */
function end(): boolean {
  const summary = document.querySelector<HTMLElement>('summary[data-key="r"]');
  const details = summary?.closest('details');
  if (!details) return false;
  details.open = true;
  details.querySelector('textarea')?.focus();
  return true;
}
