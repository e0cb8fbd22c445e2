import type { RegistrationRow } from '#db/schema/index.ts';
import { SetMap } from '#server/common/set-map.ts';
import { NAME_MAX } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { NOTE_PREFIX, noteKey } from '@mesh-registry/protocol/rest/payment-note.schema.ts';

/**
 * Which registration a payment may be for if its note does not say so: a hint, never a decision. Either an operator's
 * confirmation text names the payment (by the id that the app shows, or by the note of an earlier registration), or
 * the payment's note resembles that of a registration.
 */

export interface LikelyNote {
  note: string;
  name: string;
  /** `text`: the confirmation text names the payment. `note`: a similar note. `name`: the note contains the name. */
  by: 'text' | 'note' | 'name';
}

/** What a confirmation text names. */
interface Named {
  /** A payment note, in upper case. */
  noteKey: string | null;
  /** Possible payment ids, as letters and digits: the app shows `#D-7Q2M41`, its export may have `D7Q2M41`. */
  ids: string[];
}

/** Shorter words are not ids. */
const ID_LETTERS_MIN = 5;
/** Words of a confirmation text that are checked. */
const WORDS_MAX = 12;

export function namedIn(confirmation: string | null): Named {
  if (confirmation === null) return { noteKey: null, ids: [] };
  const words = confirmation.split(/\s+/).slice(0, WORDS_MAX).map(lettersOf);
  return {
    noteKey: noteKey(confirmation),
    ids: words.filter((word) => word.length >= ID_LETTERS_MIN),
  };
}

/** Each text is parsed once: a changed row is a new object. */
const textsRead = new WeakMap<RegistrationRow, Named>();

function namedBy(row: RegistrationRow): Named {
  let named = textsRead.get(row);
  if (!named) textsRead.set(row, (named = namedIn(row.cashConfirm)));
  return named;
}

/**
 * By payment id, the registrations whose confirmation text names the payment although it carries another note.
 * Takes time in proportion to registrations plus payments, not to their product: anyone can register.
 */
export function naming(
  payments: { id: string; noteKey: string | null }[],
  registrations: Iterable<RegistrationRow>,
): Map<string, LikelyNote[]> {
  if (payments.length === 0) return new Map();
  const found = new Map(payments.map(({ id }) => [id, [] as LikelyNote[]]));
  const [byId, byNote] = [new SetMap<Paid>(), new SetMap<Paid>()];
  for (const payment of payments) {
    byId.add(lettersOf(payment.id), payment);
    if (payment.noteKey !== null) byNote.add(payment.noteKey, payment);
  }
  for (const row of registrations) {
    if (row.cashConfirm === null) continue;
    const { ids, noteKey } = namedBy(row);
    const its = [...ids.flatMap((id) => [...byId.get(id)]), ...byNote.get(noteKey ?? '')];
    if (its.length === 0) continue;
    const own = row.paymentNote.toUpperCase();
    for (const payment of new Set(its))
      if (payment.noteKey !== own)
        found.get(payment.id)?.push({ note: row.paymentNote, name: row.name, by: 'text' });
  }
  return found;
}

type Paid = Parameters<typeof naming>[0][number];

/** Most wrong, missing or extra letters of a note that still counts as similar. */
const MOST_EDITS = 2;
const MOST_HINTS = 3;

type Candidate = Pick<RegistrationRow, 'name' | 'paymentNote' | 'feeCents' | 'status'>;

/** What the note of a payment may contain of a registration. */
interface Traces {
  /** The name as a word. */
  word: string;
  letters: string;
  /** The letters, in one part more than there may be mistakes: at least one part has none. */
  parts: string[];
}

const traced = new WeakMap<Candidate, Traces>();

/** Each half of the six random letters is a part: few notes contain one of another registration. */
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

/** Every substring that could be a part of a note. */
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

/** The characters of names and notes. */
const WORDS = /[A-Z0-9_-]+/g;

/**
 * By payment id, the unpaid or waiting registrations of the same amount that its note resembles, most similar first.
 * Takes time in proportion to registrations plus payments, not to their product: anybody may register.
 */
export function likelyNotes(
  payments: { id: string; amountCents: number; note: string }[],
  rows: Iterable<Candidate>,
): Map<string, LikelyNote[]> {
  if (payments.length === 0) return new Map();
  const texts = payments.map(({ id, amountCents, note }): Text => {
    return { id, amountCents, letters: lettersOf(note), near: [] };
  });
  const [byWord, byPart] = [new SetMap<Text>(), new SetMap<Text>()];
  texts.forEach((text, n) => {
    const words = payments[n]?.note.toUpperCase().match(WORDS);
    for (const word of new Set(words)) byWord.add(word, text);
    for (const part of partsIn(text.letters)) byPart.add(part, text);
  });
  for (const row of rows) {
    if (row.status !== 'pending_payment' && row.status !== 'pending_review') continue;
    const { word, letters, parts } = tracesOf(row);
    const named = byWord.get(word);
    const its = [...parts.flatMap((part) => [...byPart.get(part)]), ...named];
    for (const text of its.length === 0 ? [] : new Set(its)) {
      if (text.amountCents !== row.feeCents) continue;
      const edits = fewestEdits(letters, text.letters);
      if (edits <= MOST_EDITS) text.near.push({ edits, by: 'note', row });
      else if (named.has(text)) text.near.push({ edits: MOST_EDITS + 1, by: 'name', row });
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

/** The note of a payment, and what it resembles. */
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

/** People leave out hyphens and spaces. */
export const lettersOf = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '');

/**
 * The fewest letters to change, add or remove for `word` to occur in `text`: Sellers' edit distance, with a free
 * beginning and end.
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
