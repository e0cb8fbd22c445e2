import {
  and,
  asc,
  count,
  desc,
  eq,
  ilike,
  inArray,
  isNotNull,
  isNull,
  or,
  sql,
  type SQL,
  type SQLWrapper,
} from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { payments, registrations, type RegistrationRow } from '#db/schema.ts';
import {
  MATCH_STATES,
  PAYMENTS_ON_PAGE,
  BULK_ACCEPT_MAX,
  type MatchState,
  type PaymentQuery,
} from './payments.schema.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { readMoney } from './cells.ts';
import { lettersOf, likelyNotes, namedIn, naming, type LikelyNote } from './hints.ts';
import { requireUndecided } from '#server/review/decisions.ts';
import type { ReviewIndex } from '#server/review/index-by-note.ts';
import { accept } from '#server/review/transitions.ts';

/** Payments as the payment app's export tells them, beside the registrations whose note they carry. */

export type Payment = Pick<typeof payments.$inferSelect, 'id' | 'paidAt' | 'amountCents' | 'note'>;

export interface PaymentState {
  /** `found`: one payment with the note, of the right amount. `several`: more than one with the note. */
  state: 'found' | 'differs' | 'none' | 'several';
  payments: Payment[];
  /** With another note, and named by the confirmation text: for a person to look at. */
  named: Payment[];
}

/** An id as {@link lettersOf} has it; there is an index on it. */
const idLetters = (id: SQLWrapper) =>
  sql<string>`upper(regexp_replace(${id}, '[^A-Za-z0-9]', '', 'g'))`;

type Payable = Pick<RegistrationRow, 'id' | 'paymentNote' | 'feeCents' | 'cashConfirm'>;

const PAYMENT_COLUMNS = {
  id: payments.id,
  paidAt: payments.paidAt,
  amountCents: payments.amountCents,
  note: payments.note,
  noteKey: payments.noteKey,
};

/** By registration id, what was paid with its exact note, and with another that its operator names. @throws AppError `unavailable` */
export const paymentStates = (
  s: ServiceContext,
  rows: Payable[],
): Promise<Map<string, PaymentState>> => withRetry(() => readStates(s.db, rows));

async function readStates(db: Db, rows: Payable[]): Promise<Map<string, PaymentState>> {
  const wanted = rows.map((row) => {
    return { row, key: row.paymentNote.toUpperCase(), text: namedIn(row.cashConfirm) };
  });
  const keys = wanted.flatMap(({ key, text }) => [key, text.noteKey ?? key]);
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
    wanted.map(({ row, key, text }) => {
      const own = found.filter(({ noteKey }) => noteKey === key);
      const named = found.filter(
        ({ id, noteKey }) =>
          noteKey !== key &&
          ((noteKey !== null && noteKey === text.noteKey) || text.ids.includes(lettersOf(id))),
      );
      const state =
        own.length === 0
          ? 'none'
          : own.length > 1
            ? 'several'
            : own[0]?.amountCents === row.feeCents
              ? 'found'
              : 'differs';
      return [row.id, { state, payments: own.map(asPayment), named: named.map(asPayment) }];
    }),
  );
}

export const asPayment = ({ id, paidAt, amountCents, note }: Payment): Payment => {
  return { id, paidAt, amountCents, note };
};

/** The payment note as its registration has it: the name in lower case, the rest in upper case. */
const exactNote = sql`'MESH-' || lower(substr(${payments.noteKey}, 6, length(${payments.noteKey}) - 12)) || right(${payments.noteKey}, 7)`;

/** The payments that `found` holds of, each with the registration that its note names, and what that makes of it. */
function matchedPayments(db: Db, found: SQL | undefined) {
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
      /** Payments with this note. */
      total: notes.total,
      name: registrations.name,
      status: registrations.status,
      paymentNote: registrations.paymentNote,
      feeCents: registrations.feeCents,
    })
    .from(payments)
    .leftJoin(notes, eq(notes.key, payments.noteKey))
    .leftJoin(registrations, eq(registrations.paymentNote, exactNote))
    .where(found);
  return db.$with('matched').as(query);
}

export interface MatchedPayment extends Payment {
  matchState: MatchState;
  /** Whose note it carries; null for an unmatched one. */
  registration: {
    name: string;
    note: string;
    status: RegistrationRow['status'];
    feeCents: number;
    payments: number;
  } | null;
  /** For a person to look at; nothing is decided by them. */
  likely: LikelyNote[];
}

/**
 * Payments that `q` finds, of one place (null: of all), newest first, and how many there are of each.
 * @param q in the note; the id, whatever signs stand in it; or an amount
 * @param page from 1; beyond the list its last one
 */
export async function listPayments(
  s: ServiceContext & { readonly index: ReviewIndex },
  { q, matchState, page }: PaymentQuery,
) {
  let asked = await readPage(s.db, { q, matchState, page });
  const total = matchState ? asked.counts[matchState] : asked.all;
  const number = Math.min(page, Math.max(1, Math.ceil(total / PAYMENTS_ON_PAGE)));
  if (number !== page) asked = await readPage(s.db, { q, matchState, page: number });
  const { counts, all, rows } = asked;
  const unmatched = rows.filter((row) => row.matchState === 'unmatched');
  const hints = likelyNotes(unmatched, s.live.registrations.rows());
  const named = naming(rows, s.index.queue());
  return {
    all,
    counts,
    page: { number, limit: PAYMENTS_ON_PAGE, total },
    payments: rows.map((row): MatchedPayment => ({
      id: row.id,
      paidAt: row.paidAt,
      amountCents: row.amountCents,
      note: row.note,
      matchState: row.matchState,
      registration:
        row.name === null ||
        row.paymentNote === null ||
        row.status === null ||
        row.feeCents === null
          ? null
          : {
              name: row.name,
              note: row.paymentNote,
              status: row.status,
              feeCents: row.feeCents,
              payments: row.total ?? 1,
            },
      likely: [...(named.get(row.id) ?? []), ...(hints.get(row.id) ?? [])],
    })),
  };
}

/** A page and the counts of all places: the payments are placed once for both. @throws AppError `unavailable` */
async function readPage(db: Db, { q, matchState, page }: PaymentQuery) {
  const matched = matchedPayments(db, q === '' ? undefined : or(...searched(q)));
  const totals = db.$with('totals').as(
    db
      // Names of their own: drizzle does not say whose an alias is.
      .select({
        ofState: sql<MatchState>`${matched.matchState}`.as('of_state'),
        payments: count().as('payments'),
      })
      .from(matched)
      .groupBy(matched.matchState),
  );
  const listed = db.$with('listed').as(
    db
      .select()
      .from(matched)
      .where(matchState ? eq(matched.matchState, matchState) : undefined)
      .orderBy(desc(matched.paidAt), desc(matched.id))
      .limit(PAYMENTS_ON_PAGE)
      .offset((page - 1) * PAYMENTS_ON_PAGE),
  );
  // A place of which nothing is on the page has one row, without a payment.
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
    MATCH_STATES.map((name) => [name, byState.get(name) ?? 0]),
  ) as Record<MatchState, number>;
  return {
    counts,
    all: Object.values(counts).reduce((sum, n) => sum + n, 0),
    rows: read.flatMap(({ listed }) => listed ?? []),
  };
}

function searched(q: string): SQL[] {
  const letters = lettersOf(q);
  const money = readMoney(q);
  return [
    ilike(payments.note, `%${q.replace(/[\\%_]/g, '\\$&')}%`),
    ...(letters === '' ? [] : [sql`${idLetters(payments.id)} like ${`%${letters}%`}`]),
    ...(money === null ? [] : [eq(payments.amountCents, money.cents)]),
  ];
}

/**
 * Registrations that wait and whose payment was found, and the longest waiting of them: at most {@link BULK_ACCEPT_MAX}.
 * Only what is paid with the notes of the queue is read: payments are kept for good.
 */
export async function paidAndWaiting(s: ServiceContext & { readonly index: ReviewIndex }) {
  const queue = s.index.queue();
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
  const ofKey = new Map<string | null, typeof paid>();
  for (const payment of paid) {
    const its = ofKey.get(payment.noteKey);
    if (its) its.push(payment);
    else ofKey.set(payment.noteKey, [payment]);
  }
  const rows = queue.flatMap(({ name, paymentNote: note, kinds, feeCents }) => {
    const [payment, ...more] = ofKey.get(note.toUpperCase()) ?? [];
    if (!payment || more.length > 0 || payment.amountCents !== feeCents) return [];
    return [{ name, note, kinds, amountCents: payment.amountCents, paidAt: payment.paidAt }];
  });
  return { total: rows.length, rows: rows.slice(0, BULK_ACCEPT_MAX) };
}

/**
 * Accepts the registrations of these notes, each for itself, if its payment is still found and nobody has
 * decided it. What became of each is told by {@link outcomes}.
 * @throws AppError `unavailable`
 */
export async function acceptPaid(
  s: ServiceContext,
  notes: string[],
  reviewer: string,
  now = s.clock(),
): Promise<void> {
  for (const row of await byNote(s, notes)) {
    const { id } = row;
    const stillPaid = async (tx: Db) => {
      if ((await readStates(tx, [row])).get(id)?.state !== 'found')
        throw new AppError('invalid_state', 'Its payment is no longer found.');
      await requireUndecided(tx, { registrationId: id, reviewer }, now);
    };
    try {
      await accept(s, { id, reviewer }, now, stillPaid);
    } catch (error) {
      // Somebody else was first: that is told, and no reason to leave out the others.
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
  payment: PaymentState['state'];
}

/** How the registrations of these notes stand now. A note that none has is left out. */
export async function outcomes(s: ServiceContext, notes: string[]): Promise<Outcome[]> {
  const rows = await byNote(s, notes);
  const states = await paymentStates(s, rows);
  return rows.map((row) => ({
    note: row.paymentNote,
    name: row.name,
    status: row.status,
    decidedBy: row.decidedBy,
    decidedAt: row.decidedAt,
    reason: row.rejectionReason,
    payment: states.get(row.id)?.state ?? 'none',
  }));
}

async function byNote(s: ServiceContext, asked: string[]): Promise<RegistrationRow[]> {
  // The database takes no NUL.
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
