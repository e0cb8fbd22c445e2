import type { QueueItem, RejectedTogether } from '#server/review/index.ts';

/** What the checkboxes of the queue send, and what the page gets back. */

/** The id and the intent of the form that the checkboxes belong to, wherever they are on the page. */
export const SELECTION_FORM = 'reject-selected';

export type SelectedRow = Pick<QueueItem, 'note' | 'rev'>;

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
