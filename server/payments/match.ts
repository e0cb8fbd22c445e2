import { and, asc, inArray, isNull, or, sql, type SQLWrapper } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { payments, type RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { readInheritance } from './earlier.ts';
import { lettersOf, namedIn } from './hints.ts';

/** Which imported payments belong to a registration. */

export type Payment = Pick<typeof payments.$inferSelect, 'id' | 'paidAt' | 'amountCents' | 'note'>;

export interface PaymentMatch {
  /**
   * `found`: one payment with the note, of the right amount. `several`: more than one with the note. The notes of earlier
   * registrations count, unless their payments have been used; those that count for a later one don’t.
   */
  state: 'found' | 'differs' | 'none' | 'several';
  payments: Payment[];
  /** Payments with another note that the confirmation text names: for a person to check. */
  named: Payment[];
}

/** An id as {@link lettersOf} has it. There is an index on this expression. */
export const idLetters = (id: SQLWrapper) =>
  sql<string>`upper(regexp_replace(${id}, '[^A-Za-z0-9]', '', 'g'))`;

/** Clocks and time zones may differ by this much (ms). */
const CLOCK_ALLOWANCE_MS = 86_400_000;

/** A payment dated later than this (ms) is dated in the future. */
export const futureFrom = (now: number): number => now + CLOCK_ALLOWANCE_MS;

/** Whether the payment is dated in the future: its export is wrong, so nobody is accepted for it in bulk. */
export const isFuture = ({ paidAt }: Pick<Payment, 'paidAt'>, now: number): boolean =>
  paidAt.getTime() > futureFrom(now);

export const PAYMENT_COLUMNS = {
  id: payments.id,
  paidAt: payments.paidAt,
  amountCents: payments.amountCents,
  note: payments.note,
  noteKey: payments.noteKey,
};

export const asPayment = ({ id, paidAt, amountCents, note }: Payment): Payment => {
  return { id, paidAt, amountCents, note };
};

export type Payable = Pick<
  RegistrationRow,
  'id' | 'paymentNote' | 'feeCents' | 'cashConfirm' | 'earlierId' | 'activatedAt'
>;

/** By registration id. @throws AppError `unavailable` */
export const matchPayments = (
  context: ServiceContext,
  rows: Payable[],
): Promise<Map<string, PaymentMatch>> => withRetry(() => readMatches(context.db, rows));

/** As {@link matchPayments}, for use in a transaction. */
export async function readMatches(db: Db, rows: Payable[]): Promise<Map<string, PaymentMatch>> {
  const inherited = await readInheritance(db, rows);
  const wanted = rows.map((row) => {
    const { notes = [], passedOn = false } = inherited.get(row.id) ?? {};
    const own = row.paymentNote.toUpperCase();
    return {
      row,
      own,
      keys: [...(passedOn ? [] : [own]), ...notes.map((note) => note.toUpperCase())],
      text: namedIn(row.cashConfirm),
    };
  });
  const keys = wanted.flatMap(({ own, keys, text }) => [own, ...keys, text.noteKey ?? own]);
  const ids = wanted.flatMap(({ text }) => text.ids);
  const found =
    rows.length === 0
      ? []
      : await db
          .select(PAYMENT_COLUMNS)
          .from(payments)
          .where(
            and(
              or(
                inArray(payments.noteKey, keys),
                ids.length > 0 ? inArray(idLetters(payments.id), ids) : undefined,
              ),
              isNull(payments.reversedAt),
            ),
          )
          .orderBy(asc(payments.paidAt));
  return new Map(
    wanted.map(({ row, keys, text }) => {
      const own = found.filter(({ noteKey }) => noteKey !== null && keys.includes(noteKey));
      const named = found.filter(
        ({ id, noteKey }) =>
          !keys.includes(noteKey ?? '') &&
          ((noteKey !== null && noteKey === text.noteKey) || text.ids.includes(lettersOf(id))),
      );
      const match = { payments: own.map(asPayment), named: named.map(asPayment) };
      return [row.id, { state: stateOf(own, row), ...match }];
    }),
  );
}

function stateOf([first, ...more]: Payment[], { feeCents }: Payable): PaymentMatch['state'] {
  if (!first) return 'none';
  if (more.length > 0) return 'several';
  return first.amountCents === feeCents ? 'found' : 'differs';
}
