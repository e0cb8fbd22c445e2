import { useNavigate, useSubmit } from '@remix-run/react';
import { useEffect, useRef, type RefObject } from 'react';
import type { PendingDecision } from '#server/review/index.ts';
import { useLatest } from '#app/lib/polling.ts';
import { queueHref } from '../hrefs.ts';
import { possibleDecisions, type Decidable } from './possible-decisions.ts';
import { focusRow, rowLinkFromHere } from './queue-rows.ts';
import type { RejectFormHandle } from './reject-form.tsx';
import { useShortcutSetting } from './shortcut-setting.tsx';

interface ShortcutsPage {
  /** The registration that the page shows: the only one that shortcuts decide. */
  open: Decidable | null;
  /** The reviewer's own decisions that can still be undone, newest first. */
  mine: PendingDecision[];
  /** Where the page's forms go. */
  action: string;
  rejectForm: RefObject<RejectFormHandle>;
  showHelp: () => void;
}

/** Single-key shortcuts. They do what the page's buttons and links do. */
export function useShortcuts({ open, mine, action, rejectForm, showHelp }: ShortcutsPage): void {
  const submit = useSubmit();
  const navigate = useNavigate();
  /** The registration that is being opened to be rejected. */
  const rejecting = useRef<string | null>(null);

  const send = (intent: 'accept' | 'undo', note: string) => {
    submit({ intent, note }, { method: 'post', action, preventScrollReset: true });
    return true;
  };
  const show = (note: string) => {
    navigate(queueHref(note), { preventScrollReset: true });
    return true;
  };
  /** Focuses a row, or opens it where the panel replaces the list. */
  const move = (by: number) => {
    const link = rowLinkFromHere(by);
    if (!link) return false;
    return focusRow(link) || show(link.dataset['row'] ?? '');
  };

  const press: KeyHandler = (key, at) => {
    if (at?.closest(TYPING))
      return at.matches(REASON) && (rejectForm.current?.choose(Number(key)) ?? false);
    const row = at?.closest<HTMLElement>('[data-row]')?.dataset['row'];
    const otherRow = row !== open?.note ? row : undefined;
    const possible = open ? possibleDecisions(open) : [];
    switch (key) {
      case 'j':
        return move(1);
      case 'k':
        return move(-1);
      // Outside the list the arrow keys scroll.
      case 'ArrowDown':
        return row !== undefined && move(1);
      case 'ArrowUp':
        return row !== undefined && move(-1);
      case 'o':
        return row !== undefined && show(row);
      case 'a':
        if (otherRow !== undefined) return show(otherRow);
        return open !== null && possible.includes('accept') && send('accept', open.note);
      case 'r':
        if (otherRow !== undefined) {
          rejecting.current = otherRow;
          return show(otherRow);
        }
        if (!possible.some((decision) => decision !== 'accept')) return false;
        rejectForm.current?.open();
        return true;
      case 'u':
        return mine[0] !== undefined && send('undo', mine[0].note);
      case '?':
        showHelp();
        return true;
      default:
        return otherRow === undefined && (rejectForm.current?.choose(Number(key)) ?? false);
    }
  };

  const note = open?.note ?? null;
  useEffect(() => {
    if (note !== null && rejecting.current === note) rejectForm.current?.open();
    rejecting.current = null;
  }, [note, rejectForm]);

  useKeyPresses(press);
}

/** @param at the element that has the focus @returns whether the key is a shortcut here and now */
type KeyHandler = (key: string, at: Element | null) => boolean;

/** Calls the handler for each key that may be a shortcut, while shortcuts are on and no dialog is open. */
function useKeyPresses(press: KeyHandler): void {
  const [on] = useShortcutSetting();
  const latest = useLatest(press);
  useEffect(() => {
    if (!on) return;
    const gone = new AbortController();
    const { signal } = gone;
    /**
     * The last element that had the focus: it counts while nothing has, because the page removed it, such as a
     * form that someone was typing in when another reviewer decided first.
     */
    let last: Element | null = null;
    document.addEventListener(
      'focusin',
      ({ target }) => {
        if (target instanceof Element && !target.closest('dialog')) last = target;
      },
      { signal },
    );
    document.addEventListener('pointerdown', () => (last = null), { signal });
    document.addEventListener(
      'keydown',
      (event) => {
        if (event.defaultPrevented || event.isComposing) return;
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (document.querySelector('dialog[open]')) return;
        const key = keyOf(event);
        if (event.repeat && !REPEATABLE.includes(key)) return;
        const { activeElement, body } = document;
        // A dialog that has just closed keeps the focus until the next frame.
        const nowhere = activeElement === body || activeElement?.closest('dialog');
        if (latest.current(key, nowhere ? last : activeElement)) event.preventDefault();
      },
      { signal },
    );
    return () => gone.abort();
  }, [on, latest]);
}

/** Letters count the same with Caps Lock and Shift, which matters only where it makes another character (`?`). */
const keyOf = ({ key }: KeyboardEvent) => (key.length === 1 ? key.toLowerCase() : key);

/** These repeat while they are held down; the others act once. */
const REPEATABLE = ['j', 'k', 'ArrowDown', 'ArrowUp'];

/** Where keys are text. Among the suggested reasons only their numbers are shortcuts. */
const TYPING = 'input, textarea, select, [contenteditable]';
const REASON = '[name="phrase"]';
