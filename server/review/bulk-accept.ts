import { and, asc, inArray, isNull, sql } from 'drizzle-orm';
import { payments, registrations, type RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { SetMap } from '#server/common/set-map.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { isFuture, matchPayments, PAYMENT_COLUMNS } from '#server/payments/index.ts';
import { BULK_ACCEPT_MAX } from '#server/payments/payments.schema.ts';
import { noticesThatAsk } from '#server/registration/index.ts';
import { decide } from './decisions.ts';
import type { ReviewContext } from './rows.ts';

/** Accepts many paid registrations at once. */

/**
 * Waiting registrations whose payment was found, the longest waiting first: at most {@link BULK_ACCEPT_MAX}. Reads
 * only payments with the notes of the queue, because payments are kept forever.
 * @throws AppError `unavailable`
 */
export async function paidAndWaiting(context: ReviewContext, now = context.clock()) {
  const queue = context.reviewIndex.queue();
  const keys = queue.map(({ paymentNote }) => paymentNote.toUpperCase());
  const paid = await withRetry(() =>
    context.db
      .select(PAYMENT_COLUMNS)
      .from(payments)
      .where(
        and(
          sql`${payments.noteKey} = any(${sql.param(keys)}::text[])`,
          isNull(payments.reversedAt),
        ),
      ),
  );
  const byKey = new SetMap<(typeof paid)[number]>();
  for (const payment of paid) byKey.add(payment.noteKey ?? '', payment);
  // A payment of an earlier registration counts for the one that names it.
  const earlier = new Set(
    [...context.live.registrations.rows()].flatMap(({ earlierId }) => earlierId ?? []),
  );
  const linked = await matchPayments(
    context,
    queue.filter(({ id, earlierId }) => earlierId !== null || earlier.has(id)),
  );
  /** Paid, but for a person to check one by one. */
  const leftOut: { name: string; note: string; why: LeftOut }[] = [];
  const rows = queue.flatMap((row) => {
    const { name, paymentNote: note, kinds, feeCents } = row;
    const [payment, ...more] = linked.get(row.id)?.payments ?? byKey.get(note.toUpperCase());
    if (!payment || more.length > 0 || payment.amountCents !== feeCents) return [];
    const why = whyLeftOut(context, row, [payment], now);
    if (why) {
      leftOut.push({ name, note, why });
      return [];
    }
    return [{ name, note, kinds, amountCents: payment.amountCents, paidAt: payment.paidAt }];
  });
  return { total: rows.length, rows: rows.slice(0, BULK_ACCEPT_MAX), leftOut };
}

/**
 * `future`: the payment is dated in the future. `duplicate`: another registration has the same confirmation text.
 * `notice`: keys speak against it.
 */
export type LeftOut = 'future' | 'duplicate' | 'notice';

function whyLeftOut(
  context: ReviewContext,
  row: RegistrationRow,
  paid: { paidAt: Date }[],
  now: number,
): LeftOut | null {
  if (paid.some((payment) => isFuture(payment, now))) return 'future';
  if (context.reviewIndex.sharesConfirmation(row)) return 'duplicate';
  return noticesThatAsk(context, row).length > 0 ? 'notice' : null;
}

const WHY: Record<LeftOut, string> = {
  future: 'Its payment is dated in the future. Check the export.',
  duplicate: 'Another registration has the same confirmation text. Decide it in the queue.',
  notice: 'Its notices say whose node it may be. Decide it in the queue.',
};

/**
 * Accepts the registrations with these notes, each on its own: if its payment is still found and nobody has decided
 * it. {@link acceptOutcomes} has the result of each.
 * @throws AppError `unavailable`
 */
export async function acceptTogether(
  context: ReviewContext,
  notes: string[],
  reviewer: string,
  now = context.clock(),
): Promise<void> {
  for (const row of await byNote(context, notes)) {
    try {
      await decide(context, { note: row.paymentNote, reviewer, decision: 'accept' }, now, {
        requireMore: (match) => {
          if (match.state !== 'found')
            throw new AppError('invalid_state', 'Its payment is no longer found.');
          const why = whyLeftOut(context, row, match.payments, now);
          if (why) throw new AppError('invalid_state', WHY[why]);
        },
      });
    } catch (error) {
      // Someone else was first. The outcomes show that, and the others are still accepted.
      if (!isAppError(error) || !['already_decided', 'invalid_state'].includes(error.code))
        throw error;
    }
  }
}

export type Outcome = Awaited<ReturnType<typeof acceptOutcomes>>[number];

/** The state of the registrations with these notes, now. Unknown notes are left out. @throws AppError `unavailable` */
export async function acceptOutcomes(
  context: ReviewContext,
  notes: string[],
  now = context.clock(),
) {
  const rows = await byNote(context, notes);
  const matches = await matchPayments(context, rows);
  return rows.map((row) => ({
    note: row.paymentNote,
    name: row.name,
    status: row.status,
    decidedBy: row.decidedBy,
    decidedAt: row.decidedAt,
    reason: row.rejectionReason,
    payment: matches.get(row.id)?.state ?? 'none',
    /** Why it was not accepted though its payment was found; null if nothing prevents it. */
    leftOut:
      row.status === 'pending_review'
        ? whyLeftOut(context, row, matches.get(row.id)?.payments ?? [], now)
        : null,
  }));
}

async function byNote(context: ServiceContext, asked: string[]): Promise<RegistrationRow[]> {
  // The database stores no NUL.
  const notes = asked.slice(0, BULK_ACCEPT_MAX).filter((note) => !note.includes('\0'));
  return notes.length === 0
    ? []
    : withRetry(() =>
        context.db
          .select()
          .from(registrations)
          .where(inArray(registrations.paymentNote, notes))
          .orderBy(asc(registrations.name), asc(registrations.paymentNote)),
      );
}
