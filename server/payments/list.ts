import { and, count, desc, eq, ilike, isNotNull, isNull, or, sql, type SQL } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { payments, registrations } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { containing } from '#server/common/search-text.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ReviewIndex } from '#server/registration/index.ts';
import { readMoney } from './cells.ts';
import { lettersOf, likelyNotes, naming } from './hints.ts';
import { asPayment, futureFrom, idLetters, isFuture, PAYMENT_COLUMNS } from './match.ts';
import {
  MATCH_STATES,
  PAYMENTS_ON_PAGE,
  type MatchState,
  type PaymentFilter,
  type PaymentQuery,
} from './payments.schema.ts';

/** The list of imported payments, each with the registration whose note it carries. */

export type MatchedPayment = Awaited<ReturnType<typeof listPayments>>['payments'][number];

/**
 * A page of the payments that match a search, newest first, and how many there are in each state.
 * @param query.q part of the note or of the id (its letters and digits), or an amount
 * @param query.matchState null: all
 * @param query.page from 1; beyond the end the last page
 * @param query.needsLook only payments that a person has to look at
 * @throws AppError `unavailable`
 */
export async function listPayments(
  context: ServiceContext,
  reviewIndex: ReviewIndex,
  { q, matchState, page, needsLook = false }: PaymentFilter,
  now = context.clock(),
) {
  const look = needsLook ? needsLookWhere(reviewIndex, now) : undefined;
  let read = await readPage(context.db, { q, matchState, page, look });
  const total = matchState ? read.counts[matchState] : read.all;
  const number = Math.min(page, Math.max(1, Math.ceil(total / PAYMENTS_ON_PAGE)));
  if (number !== page) read = await readPage(context.db, { q, matchState, page: number, look });
  const { counts, all, rows } = read;
  const unmatched = rows.filter((row) => row.matchState === 'unmatched');
  const hints = likelyNotes(unmatched, context.live.registrations.rows());
  const named = naming(rows, reviewIndex.queue());
  return {
    all,
    counts,
    page: { number, limit: PAYMENTS_ON_PAGE, total },
    payments: rows.map((row) => ({
      ...asPayment(row),
      matchState: row.matchState,
      /** It is dated in the future. */
      future: isFuture(row, now),
      /** Several registrations name it, or its registration shares its confirmation text with another one. */
      duplicateConfirmation:
        (named.get(row.id)?.length ?? 0) > 1 || sharesConfirmation(reviewIndex, row.paymentNote),
      registration: registrationOf(row),
      /** Hints for a person; they decide nothing. */
      likely: [...(named.get(row.id) ?? []), ...(hints.get(row.id) ?? [])],
    })),
  };
}

/** How many payments a person has to look at. @throws AppError `unavailable` */
export async function countNeedingLook(
  context: ServiceContext,
  reviewIndex: ReviewIndex,
  now = context.clock(),
): Promise<number> {
  const matched = matchedPayments(context.db, undefined);
  const [found] = await withRetry(() =>
    context.db
      .with(matched)
      .select({ total: count() })
      .from(matched)
      .where(needsLookWhere(reviewIndex, now)(matched)),
  );
  return found?.total ?? 0;
}

const sharesConfirmation = (index: ReviewIndex, note: string | null): boolean => {
  const row = note === null ? undefined : index.byNote(note);
  return row !== undefined && index.sharesConfirmation(row);
};

type ListedRow = Awaited<ReturnType<typeof readPage>>['rows'][number];

/** The one whose note the payment carries; null for an unmatched payment. */
function registrationOf({ name, paymentNote: note, status, feeCents, total }: ListedRow) {
  return name === null || note === null || status === null || feeCents === null
    ? null
    : {
        name,
        note,
        status,
        feeCents,
        /** How many payments carry this note. */
        payments: total ?? 1,
      };
}

/** A page, and the counts of all states: one query matches the payments for both. */
async function readPage(
  db: Db,
  { q, matchState, page, look }: PaymentQuery & { look: PaymentCondition | undefined },
) {
  const matched = matchedPayments(db, q === '' ? undefined : or(...searchConditions(q)));
  const totals = db.$with('totals').as(
    db
      // Aliases of their own: drizzle does not qualify an alias with its query.
      .select({
        ofState: sql<MatchState>`${matched.matchState}`.as('of_state'),
        payments: count().as('payments'),
      })
      .from(matched)
      .where(look?.(matched))
      .groupBy(matched.matchState),
  );
  const listed = db.$with('listed').as(
    db
      .select()
      .from(matched)
      .where(and(matchState ? eq(matched.matchState, matchState) : undefined, look?.(matched)))
      .orderBy(desc(matched.paidAt), desc(matched.id))
      .limit(PAYMENTS_ON_PAGE)
      .offset((page - 1) * PAYMENTS_ON_PAGE),
  );
  // A state without a payment on this page still has one row, for its count.
  const read = await withRetry(() =>
    db
      .with(matched, totals, listed)
      .select()
      .from(totals)
      .leftJoin(listed, eq(listed.matchState, totals.ofState))
      .orderBy(desc(listed.paidAt), desc(listed.id)),
  );
  const byState = new Map(read.map(({ totals }) => [totals.ofState, totals.payments]));
  const counts = Object.fromEntries(
    MATCH_STATES.map((state) => [state, byState.get(state) ?? 0]),
  ) as Record<MatchState, number>;
  return {
    counts,
    all: Object.values(counts).reduce((sum, n) => sum + n, 0),
    rows: read.flatMap(({ listed }) => listed ?? []),
  };
}

type MatchedPayments = ReturnType<typeof matchedPayments>;
type PaymentCondition = (matched: MatchedPayments) => SQL;

/**
 * Whether a person has to look at a payment: one that cannot be accepted in bulk although it was paid, or a
 * reversed one that a registration relies on. For an active registration there is nothing left to decide.
 */
function needsLookWhere(reviewIndex: ReviewIndex, now: number): PaymentCondition {
  const shared = reviewIndex.queue().filter((row) => reviewIndex.sharesConfirmation(row));
  const keys = shared.map(({ paymentNote }) => paymentNote.toUpperCase());
  const future = new Date(futureFrom(now)).toISOString();
  return ({ matchState, status, paidAt, noteKey }) => sql`case ${matchState}
    when 'active' then false
    when 'reversed' then coalesce(${status} in ('pending_review', 'active'), false)
    when 'found' then ${paidAt} > ${future}::timestamptz
      or ${noteKey} = any(${sql.param(keys)}::text[])
    else true end`;
}

/** The payment note in its canonical spelling: the name in lower case, the rest in upper case. */
const canonicalNote = sql`'MESH-' || lower(substr(${payments.noteKey}, 6, length(${payments.noteKey}) - 12)) || right(${payments.noteKey}, 7)`;

/** Payments with their registration and what that makes of them. */
function matchedPayments(db: Db, condition: SQL | undefined) {
  const notes = db
    .select({ key: payments.noteKey, total: count().as('total') })
    .from(payments)
    .where(and(isNotNull(payments.noteKey), isNull(payments.reversedAt)))
    .groupBy(payments.noteKey)
    .as('notes');
  const matchState = sql<MatchState>`case
    when ${payments.reversedAt} is not null then 'reversed'
    when ${registrations.status} is null then 'unmatched'
    when ${registrations.status} = 'rejected' then 'rejected'
    when ${registrations.status} = 'active' then 'active'
    when ${registrations.status} = 'pending_payment' then 'unconfirmed'
    when ${notes.total} > 1 then 'several'
    when ${payments.amountCents} <> ${registrations.feeCents} then 'differs'
    else 'found' end`;
  const query = db
    .select({
      ...PAYMENT_COLUMNS,
      matchState: matchState.as('match_state'),
      total: notes.total,
      name: registrations.name,
      status: registrations.status,
      paymentNote: registrations.paymentNote,
      feeCents: registrations.feeCents,
    })
    .from(payments)
    .leftJoin(notes, eq(notes.key, payments.noteKey))
    .leftJoin(registrations, eq(registrations.paymentNote, canonicalNote))
    .where(condition);
  return db.$with('matched').as(query);
}

function searchConditions(q: string): SQL[] {
  const letters = lettersOf(q);
  const money = readMoney(q);
  return [
    ilike(payments.note, containing(q)),
    ...(letters === '' ? [] : [sql`${idLetters(payments.id)} like ${`%${letters}%`}`]),
    ...(money === null ? [] : [eq(payments.amountCents, money.cents)]),
  ];
}
