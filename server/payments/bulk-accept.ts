import { and, asc, inArray, isNull, sql } from 'drizzle-orm';
import { payments, registrations, type RegistrationRow } from '#db/schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ReviewIndex, ReviewService } from '#server/review/index.ts';
import { matchPayments, PAYMENT_COLUMNS, readMatches, type PaymentMatch } from './match.ts';
import { BULK_ACCEPT_MAX } from './payments.schema.ts';

/** Accepting many paid registrations at once. */

/**
 * Waiting registrations whose payment was found, the longest waiting first: at most {@link BULK_ACCEPT_MAX}. Reads
 * only payments with the notes of the queue, because payments are kept forever.
 * @throws AppError `unavailable`
 */
export async function paidAndWaiting(s: ServiceContext, reviewIndex: ReviewIndex) {
  const queue = reviewIndex.queue();
  const keys = queue.map(({ paymentNote }) => paymentNote.toUpperCase());
  const paid = await withRetry(() =>
    s.db
      .select(PAYMENT_COLUMNS)
      .from(payments)
      .where(
        and(
          sql`${payments.noteKey} = any(${sql.param(keys)}::text[])`,
          isNull(payments.reversedAt),
        ),
      ),
  );
  const byKey = new Map<string | null, typeof paid>();
  for (const payment of paid) {
    const sameNote = byKey.get(payment.noteKey);
    if (sameNote) sameNote.push(payment);
    else byKey.set(payment.noteKey, [payment]);
  }
  const rows = queue.flatMap(({ name, paymentNote: note, kinds, feeCents }) => {
    const [payment, ...more] = byKey.get(note.toUpperCase()) ?? [];
    if (!payment || more.length > 0 || payment.amountCents !== feeCents) return [];
    return [{ name, note, kinds, amountCents: payment.amountCents, paidAt: payment.paidAt }];
  });
  return { total: rows.length, rows: rows.slice(0, BULK_ACCEPT_MAX) };
}

/**
 * Accepts the registrations with these notes, each on its own: if its payment is still found and nobody has decided
 * it. {@link outcomes} tells what became of each.
 * @throws AppError `unavailable`
 */
export async function bulkAccept(
  s: ServiceContext,
  review: Pick<ReviewService, 'acceptNow'>,
  notes: string[],
  reviewer: string,
): Promise<void> {
  for (const row of await byNote(s, notes)) {
    const { id } = row;
    try {
      await review.acceptNow({ id, reviewer }, async (tx) => {
        if ((await readMatches(tx, [row])).get(id)?.state !== 'found')
          throw new AppError('invalid_state', 'Its payment is no longer found.');
      });
    } catch (error) {
      // Somebody else was first. The outcomes show that, and the others are accepted all the same.
      if (!isAppError(error) || !['already_decided', 'invalid_state'].includes(error.code))
        throw error;
    }
  }
}

export interface Outcome {
  note: string;
  name: string;
  status: RegistrationRow['status'];
  decidedBy: string | null;
  decidedAt: Date | null;
  reason: string | null;
  payment: PaymentMatch['state'];
}

/** The state of the registrations with these notes, now. Unknown notes are left out. @throws AppError `unavailable` */
export async function outcomes(s: ServiceContext, notes: string[]): Promise<Outcome[]> {
  const rows = await byNote(s, notes);
  const matches = await matchPayments(s, rows);
  return rows.map((row) => ({
    note: row.paymentNote,
    name: row.name,
    status: row.status,
    decidedBy: row.decidedBy,
    decidedAt: row.decidedAt,
    reason: row.rejectionReason,
    payment: matches.get(row.id)?.state ?? 'none',
  }));
}

async function byNote(s: ServiceContext, asked: string[]): Promise<RegistrationRow[]> {
  // The database stores no NUL.
  const notes = asked.slice(0, BULK_ACCEPT_MAX).filter((note) => !note.includes('\0'));
  return notes.length === 0
    ? []
    : withRetry(() =>
        s.db
          .select()
          .from(registrations)
          .where(inArray(registrations.paymentNote, notes))
          .orderBy(asc(registrations.name), asc(registrations.paymentNote)),
      );
}
