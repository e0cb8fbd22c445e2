import type { RegistrationRow } from '#db/schema.ts';
import { NAME_MAX } from '#server/common/fields.schema.ts';
import { NOTE_PREFIX, noteKey } from './note.schema.ts';

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

/** A text is read once; a row that changes is another one. */
const textsRead = new WeakMap<RegistrationRow, Named>();

function namedBy(row: RegistrationRow): Named {
  let named = textsRead.get(row);
  if (!named) textsRead.set(row, (named = namedIn(row.cashConfirm)));
  return named;
}

/**
 * By payment id, those of the registrations whose confirmation text names it, though its note is not theirs.
 * The work is that of the registrations and of the payments, not of each with each: anybody may register.
 */
export function naming(
  payments: { id: string; noteKey: string | null }[],
  registrations: Iterable<RegistrationRow>,
): Map<string, LikelyNote[]> {
  if (payments.length === 0) return new Map();
  const found = new Map(payments.map(({ id }) => [id, [] as LikelyNote[]]));
  const [byId, byNote] = [new Lists<Paid>(), new Lists<Paid>()];
  for (const payment of payments) {
    byId.add(lettersOf(payment.id), payment);
    if (payment.noteKey !== null) byNote.add(payment.noteKey, payment);
  }
  for (const row of registrations) {
    if (row.cashConfirm === null) continue;
    const { ids, noteKey } = namedBy(row);
    const its = [...ids.flatMap((id) => byId.get(id)), ...byNote.get(noteKey ?? '')];
    if (its.length === 0) continue;
    const own = row.paymentNote.toUpperCase();
    for (const payment of new Set(its))
      if (payment.noteKey !== own)
        found.get(payment.id)?.push({ note: row.paymentNote, name: row.name, by: 'text' });
  }
  return found;
}

type Paid = Parameters<typeof naming>[0][number];

/** What has a key, in the order in which it came. */
class Lists<T> {
  readonly #lists = new Map<string, T[]>();

  add(key: string, value: T): void {
    const list = this.#lists.get(key);
    if (list) list.push(value);
    else this.#lists.set(key, [value]);
  }

  get(key: string): readonly T[] {
    return this.#lists.get(key) ?? [];
  }
}

/** Letters that may be wrong, missing or too many in a note that is still taken for one. */
const MOST_EDITS = 2;
const MOST_HINTS = 3;

type Candidate = Pick<RegistrationRow, 'name' | 'paymentNote' | 'feeCents' | 'status'>;

/** What of a registration may stand in the note of a payment. */
interface Traces {
  /** The name as a word. */
  word: string;
  letters: string;
  /** The letters in one part more than there may be mistakes: one of them has none. */
  parts: string[];
}

const traced = new WeakMap<Candidate, Traces>();

/** Of the six letters that nobody chose each half is a part: hardly a note has one of another registration. */
const PART = 3;

function tracesOf(row: Candidate): Traces {
  let traces = traced.get(row);
  if (!traces) {
    const letters = lettersOf(row.paymentNote);
    const cuts = [
      letters.slice(0, -2 * PART),
      letters.slice(-2 * PART, -PART),
      letters.slice(-PART),
    ];
    traces = { word: row.name.toUpperCase(), letters, parts: cuts };
    traced.set(row, traces);
  }
  return traces;
}

/** Whatever stands in these letters and could be a part of a note. */
function partsIn(letters: string): Set<string> {
  const found = new Set<string>();
  for (let at = 0; at + PART <= letters.length; at++) {
    found.add(letters.slice(at, at + PART));
    if (letters.startsWith(NOTE_PREFIX, at))
      for (let to = at + NOTE_PREFIX.length + 1; to <= at + NOTE_PREFIX.length + NAME_MAX; to++)
        found.add(letters.slice(at, to));
  }
  return found;
}

/** Names and notes are made of these. */
const WORDS = /[A-Z0-9_-]+/g;

/**
 * By payment id, the unpaid or waiting registrations of the same amount that its text is near to, nearest first.
 * The work is that of the registrations and of the payments, not of each with each: anybody may register.
 */
export function likelyNotes(
  payments: { id: string; amountCents: number; note: string }[],
  rows: Iterable<Candidate>,
): Map<string, LikelyNote[]> {
  if (payments.length === 0) return new Map();
  const texts = payments.map(({ id, amountCents, note }): Text => {
    return { id, amountCents, letters: lettersOf(note), near: [] };
  });
  const [byWord, byPart] = [new Lists<Text>(), new Lists<Text>()];
  texts.forEach((text, n) => {
    const words = payments[n]?.note.toUpperCase().match(WORDS);
    for (const word of new Set(words)) byWord.add(word, text);
    for (const part of partsIn(text.letters)) byPart.add(part, text);
  });
  for (const row of rows) {
    if (row.status !== 'pending_payment' && row.status !== 'pending_review') continue;
    const { word, letters, parts } = tracesOf(row);
    const named = byWord.get(word);
    const its = [...parts.flatMap((part) => byPart.get(part)), ...named];
    for (const text of its.length === 0 ? [] : new Set(its)) {
      if (text.amountCents !== row.feeCents) continue;
      const edits = fewestEdits(letters, text.letters);
      if (edits <= MOST_EDITS) text.near.push({ edits, by: 'note', row });
      else if (named.includes(text)) text.near.push({ edits: MOST_EDITS + 1, by: 'name', row });
    }
  }
  return new Map(
    texts.map(({ id, near }) => {
      near.sort((a, b) => a.edits - b.edits || (a.row.name < b.row.name ? -1 : 1));
      const nearest = near.slice(0, MOST_HINTS);
      return [
        id,
        nearest.map(({ by, row: { name, paymentNote } }) => ({ note: paymentNote, name, by })),
      ];
    }),
  );
}

/** The note of a payment, and what it is near to. */
interface Text {
  id: string;
  amountCents: number;
  letters: string;
  near: Near[];
}

interface Near {
  edits: number;
  by: 'note' | 'name';
  row: Candidate;
}

/** Hyphens and spaces are what people leave out. */
export const lettersOf = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '');

/**
 * The fewest letters to change, add or leave out so that `word` stands somewhere in `text`.
 * (Sellers: the edit distance with a free begin and end.)
 */
function fewestEdits(word: string, text: string): number {
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
  return best;
}
