import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { likelyNotes } from './hints.ts';

/** The letters of a payment note that nobody chooses; few of them here, so that some are alike. */
const suffix = fc.string({ unit: fc.constantFrom(...'37ACX'), minLength: 6, maxLength: 6 });
const name = fc.stringMatching(/^[ab1][ab1_-]{0,5}[ab1]$/);

const registrations = fc
  .uniqueArray(
    fc.record({
      name,
      suffix,
      feeCents: fc.constantFrom(500, 500, 500, 400),
      status: fc.constantFrom('pending_payment', 'pending_review', 'pending_review', 'active'),
    }),
    { selector: (row) => row.name, minLength: 1, maxLength: 8 },
  )
  .map((rows) =>
    rows.map(({ suffix, ...row }) => {
      return { ...row, paymentNote: `MESH-${row.name}-${suffix}` };
    }),
  );

type Row = Parameters<typeof likelyNotes>[1] extends Iterable<infer R> ? R : never;

/** A slip of the hand: from where, how many letters are lost, and what comes in their place. */
const slip = fc.record({
  at: fc.nat(20),
  lost: fc.nat(1),
  typed: fc.constantFrom('', '', 'a', 'X', '7', '-', ' ', 'ß', 'MESH'),
});

/** A note as people write it: of one of the registrations, with slips, between other words. */
const written = fc.record({
  of: fc.nat(7),
  what: fc.constantFrom('note', 'note', 'note', 'name'),
  slips: fc.array(slip, { maxLength: 4 }),
  before: fc.constantFrom('', '', 'thanks ', 'MESH-a-', 'for b1: ', 'ab,'),
  after: fc.constantFrom('', '', ' thanks', '.', ' ab', '-3'),
  small: fc.boolean(),
});

type Written = typeof written extends fc.Arbitrary<infer W> ? W : never;

function noteOf({ of, what, slips, before, after, small }: Written, rows: Row[]): string {
  const row = rows[of % rows.length];
  let note = (what === 'note' ? row?.paymentNote : row?.name) ?? '';
  for (const { at, lost, typed } of slips) note = note.slice(0, at) + typed + note.slice(at + lost);
  return before + (small ? note.toLowerCase() : note) + after;
}

/** The rule, looked up for each registration: the nearest three with at most two slips, then those that are named. */
function plainly(note: string, amountCents: number, rows: Row[]) {
  const letters = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '');
  const words = note.toUpperCase().split(/[^A-Z0-9_-]+/);
  return rows
    .filter(({ status, feeCents }) => status !== 'active' && feeCents === amountCents)
    .map((row) => ({ row, edits: fewestEdits(letters(row.paymentNote), letters(note)) }))
    .filter(({ row, edits }) => edits <= 2 || words.includes(row.name.toUpperCase()))
    .map(({ row, edits }) => ({ row, edits: Math.min(edits, 3) }))
    .sort((a, b) => a.edits - b.edits || (a.row.name < b.row.name ? -1 : 1))
    .slice(0, 3)
    .map(({ row, edits }) => {
      return { name: row.name, note: row.paymentNote, by: edits <= 2 ? 'note' : 'name' };
    });
}

/** The fewest edits between the word and any part of the text. */
function fewestEdits(word: string, text: string): number {
  let row: number[] = Array(text.length + 1).fill(0);
  for (const letter of word) {
    const next = [(row[0] ?? 0) + 1];
    for (let n = 1; n <= text.length; n++)
      next[n] = Math.min(
        (row[n - 1] ?? 0) + (text[n - 1] === letter ? 0 : 1),
        (row[n] ?? 0) + 1,
        (next[n - 1] ?? 0) + 1,
      );
    row = next;
  }
  return Math.min(...row);
}

describe('the registrations that a payment may be for', () => {
  test('are the same as if its note were compared with every open registration', () => {
    fc.assert(
      fc.property(
        registrations,
        fc.array(written, { minLength: 1, maxLength: 4 }),
        (rows, notes) => {
          const payments = notes.map((each, n) => {
            return { id: `p${n}`, amountCents: 500, note: noteOf(each, rows) };
          });
          const found = likelyNotes(payments, rows as Row[]);
          for (const { id, note } of payments)
            expect({ note, likely: found.get(id) }).toEqual({
              note,
              likely: plainly(note, 500, rows as Row[]),
            });
        },
      ),
      { numRuns: 500 },
    );
  });
});
