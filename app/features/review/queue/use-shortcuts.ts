import { useNavigate, useSubmit } from '@remix-run/react';
import { useEffect, useRef, type RefObject } from 'react';
import type { RecentDecision } from '#server/review/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useLatest } from '#app/lib/polling.ts';
import { groupDecisions } from './recent-decisions.tsx';
import { despiteBox, isPaid } from './accept-form.tsx';
import { possibleDecisions, type Decidable, type DecisionForms } from './decision-form.tsx';
import type { Presses } from './press-once.ts';
import { focusRow, noteOfRow, rowLinkFromHere } from './queue-rows.ts';
import type { RejectFormHandle } from './reject-form.tsx';
import { SELECTION_FORM, type Selection } from './use-selection.ts';
import { useShortcutSetting } from '#app/ui/shortcut-setting.tsx';

interface ShortcutsPage {
  /** The registration that the page shows: the only one that shortcuts decide. */
  open: Decidable | null;
  /** The reviewer's own decisions that can still be undone, newest first. */
  mine: RecentDecision[];
  /** Where the page's forms go. */
  action: string;
  forms: DecisionForms;
  presses: Presses;
  showHelp: () => void;
  /** Of the queue: rows that are rejected together, and the form that does it. */
  selection?: Selection;
  bulkRejectForm?: RefObject<RejectFormHandle>;
}

/** Single-key shortcuts. They do what the page's buttons and links do. */
export function useShortcuts(page: ShortcutsPage): void {
  const { open, mine, action, forms, presses, showHelp, selection, bulkRejectForm } = page;
  const { reject: rejectForm } = forms;
  const submit = useSubmit();
  const navigate = useNavigate();
  /** The registration that is being opened to be rejected. */
  const rejecting = useRef<string | null>(null);

  const send = (intent: 'accept' | 'undo', notes: string[], more: Record<string, string> = {}) => {
    const form = new FormData();
    form.set('intent', intent);
    for (const [name, value] of Object.entries(more)) form.set(name, value);
    for (const note of notes) form.append('note', note);
    submit(form, { method: 'post', action, preventScrollReset: true });
    return true;
  };
  const accept = (registration: Decidable) => {
    const { note } = registration;
    if (!isPaid(registration)) {
      forms.accept.current?.open();
      return true;
    }
    const box = despiteBox();
    // Without a tick the service refuses what it would ask about.
    if (!box || box.checked) return send('accept', [note], box ? { despiteNotices: 'true' } : {});
    box.focus();
    return true;
  };
  const show = (note: string) => {
    navigate(hrefs.review.queue({ open: note }), { preventScrollReset: true });
    return true;
  };
  /** Focuses a row, or opens it where the panel replaces the list. */
  const move = (by: number) => {
    const link = rowLinkFromHere(by);
    if (!link) return false;
    return focusRow(link) || show(link.dataset['row'] ?? '');
  };

  const choose = (key: string, form: RefObject<RejectFormHandle> | undefined) =>
    form?.current?.choose(Number(key)) ?? false;

  const press: KeyHandler = (key, at, shift) => {
    const inSelectionForm = at !== null && at.closest(`#${SELECTION_FORM}`) !== null;
    if (at?.closest(TYPING))
      return at.matches(REASON) && choose(key, inSelectionForm ? bulkRejectForm : rejectForm);
    const row = noteOfRow(at);
    const selecting = (selection?.rows.length ?? 0) > 0;
    const inOpen = open !== null && row === undefined && !inSelectionForm;
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
      case 'x':
        if (row === undefined || !selection) return false;
        selection.set(row, !selection.isSelected(row), shift);
        return true;
      case 'Escape':
        if (selecting) selection?.clear();
        return selecting;
      case 'o':
        return row !== undefined && show(row);
      case 'a':
        if (otherRow !== undefined) return show(otherRow);
        if (open === null || !possible.includes('accept')) return false;
        return accept(open);
      case 'r':
        if (selecting && !inOpen) {
          bulkRejectForm?.current?.open();
          return true;
        }
        if (otherRow !== undefined) {
          rejecting.current = otherRow;
          return show(otherRow);
        }
        if (!possible.some((decision) => decision !== 'accept')) return false;
        rejectForm.current?.open();
        return true;
      case 'u': {
        const [last] = groupDecisions(mine);
        return last !== undefined && send('undo', last.notes);
      }
      case '?':
        showHelp();
        return true;
      default:
        return choose(key, bulkRejectForm) || (otherRow === undefined && choose(key, rejectForm));
    }
  };

  const note = open?.note ?? null;
  useEffect(() => {
    if (note !== null && rejecting.current === note) rejectForm.current?.open();
    rejecting.current = null;
  }, [note, rejectForm]);

  useKeyPresses(press, presses);
}

/**
 * @param at the element that has the focus
 * @param shift whether Shift is held down
 * @returns whether the key is a shortcut here and now
 */
type KeyHandler = (key: string, at: Element | null, shift: boolean) => boolean;

/** Calls the handler for each key that may be a shortcut, while shortcuts are on and no dialog is open. */
function useKeyPresses(press: KeyHandler, presses: Presses): void {
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
        // Also where the first press has opened a field: there it would be text.
        if (ONCE.includes(key) && presses.again(key)) return event.preventDefault();
        if (event.repeat && !REPEATABLE.includes(key)) return;
        const { activeElement, body } = document;
        // A dialog that has just closed keeps the focus until the next frame.
        const nowhere = activeElement === body || activeElement?.closest('dialog');
        const acts = latest.current(key, nowhere ? last : activeElement, event.shiftKey);
        presses.pressed(acts && ONCE.includes(key) ? key : '');
        if (acts) event.preventDefault();
      },
      { signal },
    );
    return () => gone.abort();
  }, [on, latest, presses]);
}

/** Letters count the same with Caps Lock and Shift, which matters only where it makes another character (`?`). */
const keyOf = ({ key }: KeyboardEvent) => (key.length === 1 ? key.toLowerCase() : key);

/** These repeat while they are held down; the others act once. */
const REPEATABLE = ['j', 'k', 'ArrowDown', 'ArrowUp'];

/** These decide, undo, or open the form that does: pressed twice at once, they act once. */
const ONCE = ['a', 'r', 'u'];

/** Where keys are text. Among the suggested reasons only their numbers are shortcuts. */
const TYPING = 'input:not([type="checkbox"]), textarea, select, [contenteditable]';
const REASON = '[name="phrase"]';
