import { useNavigate, useSubmit } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { REASONS } from '#server/review/reasons.schema.ts';
import type { PendingDecision } from '#server/review/decisions.ts';
import { askReason, chooseReason, possibleDecisions, type Decidable } from './decide.tsx';
import { useKeysSwitch } from './key.tsx';
import { openHref } from './queue-table.tsx';
import { goToRow, rowFromHere } from './rows.ts';

/**
 * Single keys, for who works through a queue. They can be switched off: who dictates, or presses keys by
 * accident, must not decide by it.
 */
export const KEYS = [
  { keys: ['j', 'k'], does: 'Next and previous; from a row, the arrow keys too' },
  { keys: ['Enter', 'o'], does: 'Open' },
  { keys: ['a'], does: 'Accept what is open; open the row first, if it is another one' },
  { keys: ['r'], does: 'Reject or revoke: choose the reason, or Tab to write it' },
  { keys: [`1 to ${REASONS.length}`], does: 'Choose that reason; Enter sends it' },
  { keys: ['u'], does: 'Undo the last decision, while it waits' },
  { keys: ['?'], does: 'This help' },
] as const;

export interface KeysPage {
  /** The registration that the page shows: keys decide this one, and none besides. */
  open: Decidable | null;
  /** The reviewer's own decisions that can be undone, the newest first. */
  mine: PendingDecision[];
  /** Where the page's forms go. */
  action: string;
  help: () => void;
}

/** What the keys do is what the page's buttons do. */
export function useKeys({ open, mine, action, help }: KeysPage): void {
  const [on] = useKeysSwitch();
  const submit = useSubmit();
  const navigate = useNavigate();
  /** The registration that is being opened for its reason to be written. */
  const reasonFor = useRef<string | null>(null);

  const send = (intent: 'accept' | 'undo', note: string) => {
    submit({ intent, note }, { method: 'post', action, preventScrollReset: true });
    return true;
  };
  const show = (note: string) => {
    navigate(openHref(note), { preventScrollReset: true });
    return true;
  };
  /** To the row; where what is open has the place of the list, to what its row would open. */
  const move = (by: number) => {
    const row = rowFromHere(by);
    if (!row) return false;
    return goToRow(row) || show(row.dataset['row'] ?? '');
  };
  /** @returns whether the key is one of ours, here and now */
  const press = (key: string, at: Element | null): boolean => {
    const row = at?.closest<HTMLElement>('[data-row]')?.dataset['row'];
    const another = row !== open?.note ? row : undefined;
    const possible = open ? possibleDecisions(open) : [];
    switch (key) {
      case 'j':
        return move(1);
      case 'k':
        return move(-1);
      // Elsewhere they scroll.
      case 'ArrowDown':
        return row !== undefined && move(1);
      case 'ArrowUp':
        return row !== undefined && move(-1);
      case 'o':
        return row !== undefined && show(row);
      case 'a':
        if (another !== undefined) return show(another);
        return open !== null && possible.includes('accept') && send('accept', open.note);
      case 'r':
        if (another !== undefined) {
          reasonFor.current = another;
          return show(another);
        }
        return possible.some((decision) => decision !== 'accept') && askReason();
      case 'u':
        return mine[0] !== undefined && send('undo', mine[0].note);
      case '?':
        help();
        return true;
      default:
        return another === undefined && chooseReason(Number(key));
    }
  };
  const latest = useRef(press);
  latest.current = press;

  const note = open?.note ?? null;
  useEffect(() => {
    if (note !== null && reasonFor.current === note) askReason();
    reasonFor.current = null;
  }, [note]);

  useEffect(() => {
    if (!on) return;
    /** Where the keyboard is; where its place went away, there still, until one goes somewhere else. */
    let last: Element | null = null;
    const focus = ({ target }: FocusEvent) => (last = target instanceof Element ? target : null);
    const point = () => (last = null);
    const keydown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const key = keyOf(event);
      if (event.repeat && !HELD.includes(key)) return;
      const { activeElement, body } = document;
      const at = activeElement === body ? last : activeElement;
      if (document.querySelector('dialog[open]')) return;
      const ours = at?.closest(TYPING)
        ? at.matches('[name="phrase"]') && chooseReason(Number(key))
        : latest.current(key, at);
      if (ours) event.preventDefault();
    };
    document.addEventListener('focusin', focus);
    document.addEventListener('pointerdown', point);
    document.addEventListener('keydown', keydown);
    return () => {
      document.removeEventListener('focusin', focus);
      document.removeEventListener('pointerdown', point);
      document.removeEventListener('keydown', keydown);
    };
  }, [on]);
}

/** A letter is the same key with Caps Lock; Shift means something only where it makes another sign (`?`). */
const keyOf = ({ key }: KeyboardEvent) => (key.length === 1 ? key.toLowerCase() : key);

/** They go on for as long as they are held down; of the others once is meant. */
const HELD = ['j', 'k', 'ArrowDown', 'ArrowUp'];

/** What one types in; keys mean letters there. At the reasons to choose from only their numbers are keys. */
const TYPING = 'input, textarea, select, [contenteditable]';
