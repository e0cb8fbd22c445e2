import { useCallback, useRef, useState } from 'react';
import type { QueueItem, RejectedTogether } from '#server/review/index.ts';

export interface Selection {
  /** The selected rows that are still waiting, in the order of the list. */
  rows: QueueItem[];
  isSelected: (note: string) => boolean;
  /** The version that the reviewer selected; the present one of a row that isn't selected. */
  revOf: (item: QueueItem) => number;
  /**
   * Selects or unselects a row.
   * @param toHere also all rows between it and the one that was selected or unselected before
   */
  set: (note: string, selected: boolean, toHere: boolean) => void;
  /** All that the list shows. */
  setAll: (selected: boolean) => void;
  /** Selects rows that were ticked on the page without this hook. */
  add: (rows: SelectedRow[]) => void;
  clear: () => void;
}

/**
 * The rows of the queue that the reviewer has selected. Each keeps the version that was selected: if its operator
 * changes it afterwards, it isn't rejected unseen.
 * @param given notes that are selected at first, where a form was refused
 */
export function useSelection(items: QueueItem[], given: SelectedRow[]): Selection {
  const [revs, setRevs] = useState(() => new Map(given.map(({ note, rev }) => [note, rev])));
  const last = useRef<string | null>(null);

  const change = useCallback(
    (changed: QueueItem[], selected: boolean) =>
      setRevs((before) => {
        const after = new Map(before);
        for (const { note, rev } of changed)
          if (!selected) after.delete(note);
          else if (!after.has(note)) after.set(note, rev);
        return after;
      }),
    [],
  );
  const add = useCallback(
    (rows: SelectedRow[]) =>
      setRevs(
        (before) => new Map([...before, ...rows.map(({ note, rev }) => [note, rev] as const)]),
      ),
    [],
  );

  return {
    rows: items.filter(({ note }) => revs.has(note)),
    isSelected: (note) => revs.has(note),
    revOf: ({ note, rev }) => revs.get(note) ?? rev,
    set(note, selected, toHere) {
      const to = items.findIndex((item) => item.note === note);
      const from = toHere ? items.findIndex((item) => item.note === last.current) : -1;
      last.current = note;
      const range = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
      if (to >= 0) change(items.slice(range[0], (range[1] ?? to) + 1), selected);
    },
    setAll: (selected) => change(items, selected),
    add,
    clear: () => setRevs(new Map()),
  };
}

/** What the checkboxes of the queue send, and what the page gets back. */

/** The id and the intent of the form that the checkboxes belong to, wherever they are on the page. */
export const SELECTION_FORM = 'reject-selected';

type SelectedRow = Pick<QueueItem, 'note' | 'rev'>;

/** A registration's payment note and the version of it that the reviewer selected. */
export const selectionValue = ({ note, rev }: SelectedRow): string => `${rev} ${note}`;

/** Reads it. @returns null if it is none */
export function readSelectionValue(value: string): SelectedRow | null {
  const [, rev, note] = /^(\d{1,9}) (.+)$/.exec(value) ?? [];
  return rev === undefined || note === undefined ? null : { note, rev: Number(rev) };
}

/** What the action answered, if it rejected several. */
export const rejectedTogetherOf = (answer: unknown): RejectedTogether | null =>
  typeof answer === 'object' && answer !== null && 'rejectedTogether' in answer
    ? (answer.rejectedTogether as RejectedTogether)
    : null;
