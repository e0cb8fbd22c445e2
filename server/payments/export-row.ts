import { COMPLETED } from './payments.schema.ts';

/** What the rows of every kind of export have in common: the outcome of reading one, and the state of its payment. */

/** Longest note that is stored; those of the payment app are shorter. */
const NOTE_MAX = 500;
const ID_MAX = 100;

export interface ReadPayment {
  id: string;
  paidAt: Date;
  amountCents: number;
  note: string;
}

export type Content = Omit<ReadPayment, 'id'>;

/** The outcome of reading one row. */
export type ReadRow =
  /** `id` is null where the file has no ids. */
  | { kind: 'payment'; id: string | null; content: Content }
  /** An id, or the content that it is derived from. */
  | { kind: 'reversed'; of: string | Content }
  | { kind: 'outgoing' | 'other' | 'incomplete' }
  | { kind: 'unreadable'; why: string };

export const unreadable = (why: string): ReadRow => ({ kind: 'unreadable', why });

export const NO_AMOUNT = 'has no valid amount';
export const NO_DATE = 'has no date in this format';
export const NO_ID = 'has no transaction ID';

export const isId = (cell: string): boolean => cell !== '' && cell.length <= ID_MAX;

/** Null if the row has no date. @param paidAt ms */
export const contentOf = (
  paidAt: number | null,
  amountCents: number,
  note: string,
): Content | null =>
  paidAt === null
    ? null
    : { paidAt: new Date(paidAt), amountCents, note: note.slice(0, NOTE_MAX).trim() };

export const isSameContent = (a: Content, b: Content): boolean =>
  a.paidAt.getTime() === b.paidAt.getTime() && a.amountCents === b.amountCents && a.note === b.note;

/** Will never be completed, or no longer is. Every other state may become completed in a later file. */
const REVERSED =
  /refund|fail|cancel|revers|den(?:y|ied)|declin|reject|return|void|charge ?back|charged back|disput|expire|storn|zur\u00fcck/i;

export function stateOf(cell: string): 'completed' | 'reversed' | 'pending' {
  const word = cell.toLowerCase().replace(/^payment /, '');
  if (COMPLETED.some((completed) => completed === word)) return 'completed';
  return REVERSED.test(word) ? 'reversed' : 'pending';
}
