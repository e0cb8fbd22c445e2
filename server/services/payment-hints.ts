import type { RegistrationRow } from '../live/model.ts';
import { noteKey } from './payment.ts';

/**
 * Which registration a payment may be for, where its note does not say so: a hint, never a decision. Either
 * the operator's confirmation text names the payment (what the app shows them, or the note of an earlier
 * registration), or the payment's note is near to a registration's.
 */

export interface LikelyNote {
  note: string;
  name: string;
  /** `text`: the confirmation text names the payment. `note`: nearly its note. `name`: its name stands in the note. */
  by: 'text' | 'note' | 'name';
}

/** What a confirmation text names. */
interface Named {
  /** A payment note, in upper case. */
  noteKey: string | null;
  /** What may be a payment's id, as letters: the app shows `#D-7Q2M41`, its export may have `D7Q2M41`. */
  ids: string[];
}

/** Shorter words are no ids. */
const ID_LETTERS_MIN = 5;
/** Words of a confirmation text that are looked at. */
const WORDS_MAX = 12;

export function namedIn(confirmation: string | null): Named {
  if (confirmation === null) return { noteKey: null, ids: [] };
  const words = confirmation.split(/\s+/).slice(0, WORDS_MAX).map(lettersOf);
  return {
    noteKey: noteKey(confirmation),
    ids: words.filter((word) => word.length >= ID_LETTERS_MIN),
  };
}

/** By payment id, those of the registrations whose confirmation text names it, though its note is not theirs. */
export function naming(
  payments: { id: string; noteKey: string | null }[],
  registrations: Iterable<RegistrationRow>,
): Map<string, LikelyNote[]> {
  if (payments.length === 0) return new Map();
  const texts = [...registrations].flatMap((row) =>
    row.cashConfirm === null ? [] : [{ row, named: namedIn(row.cashConfirm) }],
  );
  return new Map(
    payments.map(({ id, noteKey }) => {
      const letters = lettersOf(id);
      const found = texts.filter(
        ({ row, named }) =>
          row.paymentNote.toUpperCase() !== noteKey &&
          ((noteKey !== null && named.noteKey === noteKey) || named.ids.includes(letters)),
      );
      return [
        id,
        found.map(({ row }) => ({ note: row.paymentNote, name: row.name, by: 'text' as const })),
      ];
    }),
  );
}

/** Letters that may be wrong, missing or too many in a note that is still taken for one. */
const MOST_EDITS = 2;
const MOST_HINTS = 3;

type Candidate = Pick<RegistrationRow, 'name' | 'paymentNote' | 'feeCents' | 'status'>;

/** By payment id, the unpaid or waiting registrations of the same amount that its text is near to, nearest first. */
export function likelyNotes(
  payments: { id: string; amountCents: number; note: string }[],
  rows: Iterable<Candidate>,
): Map<string, LikelyNote[]> {
  if (payments.length === 0) return new Map();
  const candidates = [...rows].flatMap((row) =>
    row.status === 'pending_payment' || row.status === 'pending_review'
      ? [{ ...row, letters: lettersOf(row.paymentNote) }]
      : [],
  );
  return new Map(
    payments.map(({ id, amountCents, note }) => {
      const text = note.toUpperCase();
      const letters = lettersOf(note);
      const near = candidates.flatMap((candidate) => {
        if (candidate.feeCents !== amountCents) return [];
        const edits = editsWithin(candidate.letters, letters, MOST_EDITS);
        const by =
          edits !== null ? 'note' : hasWord(text, candidate.name.toUpperCase()) ? 'name' : null;
        return by ? [{ edits: edits ?? MOST_EDITS + 1, by, candidate } as const] : [];
      });
      near.sort((a, b) => a.edits - b.edits || (a.candidate.name < b.candidate.name ? -1 : 1));
      return [
        id,
        near
          .slice(0, MOST_HINTS)
          .map(({ by, candidate: { name, paymentNote } }) => ({ note: paymentNote, name, by })),
      ];
    }),
  );
}

/** Hyphens and spaces are what people leave out. */
export const lettersOf = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '');

function hasWord(text: string, word: string): boolean {
  const letter = /[A-Z0-9_-]/;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!letter.test(text[at - 1] ?? ' ') && !letter.test(text[at + word.length] ?? ' '))
      return true;
  return false;
}

/**
 * The fewest letters to change, add or leave out so that `word` stands somewhere in `text`; null where
 * it takes more than `most`. (Sellers: the edit distance with a free begin and end.)
 */
export function editsWithin(word: string, text: string, most: number): number | null {
  // Of `most` + 1 parts one has no mistake in it: nearly every pair ends here.
  const size = Math.floor(word.length / (most + 1));
  const parts = Array.from({ length: most + 1 }, (_, n) =>
    word.slice(n * size, n === most ? undefined : (n + 1) * size),
  );
  if (!parts.some((part) => text.includes(part))) return null;
  let column = Array.from({ length: word.length + 1 }, (_, n) => n);
  let best = word.length;
  for (const letter of text) {
    const next = [0];
    for (let n = 1; n <= word.length; n++)
      next.push(
        Math.min(
          (column[n] ?? 0) + 1,
          (next[n - 1] ?? 0) + 1,
          (column[n - 1] ?? 0) + (word[n - 1] === letter ? 0 : 1),
        ),
      );
    column = next;
    best = Math.min(best, next[word.length] ?? best);
  }
  return best <= most ? best : null;
}
