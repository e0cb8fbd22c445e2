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
import type { Db } from '../../db/client.ts';
import { withRetry } from '../../db/retry.ts';
import { payments, registrations } from '../../db/schema.ts';
import type { RegistrationRow } from '../live/model.ts';
import {
  PAYMENT_PLACES,
  PAYMENTS_ON_PAGE,
  TOGETHER_MAX,
  type PaymentPlace,
  type PaymentQuery,
} from '../schemas/payments.ts';
import { AppError, isAppError } from '../schemas/errors.ts';
import type { ServiceContext } from './context.ts';
import { readMoney } from './payment-fields.ts';
import { lettersOf, likelyNotes, namedIn, naming, type LikelyNote } from './payment-hints.ts';
import { requireUndecided } from './review-decisions.ts';
import type { ReviewIndex } from './review-index.ts';
import { accept } from './review.ts';

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

/** Every payment with the registration that its note names, and what that makes of it. */
function placedPayments(db: Db) {
  const notes = db
    .select({ key: payments.noteKey, total: count().as('total') })
    .from(payments)
    .where(and(isNotNull(payments.noteKey), isNull(payments.reversedAt)))
    .groupBy(payments.noteKey)
    .as('notes');
  const place = sql<PaymentPlace>`case
    when ${payments.reversedAt} is not null then 'reversed'
    when ${registrations.status} is null then 'unmatched'
    when ${registrations.status} = 'rejected' then 'rejected'
    when ${registrations.status} = 'active' then 'active'
    when ${registrations.status} = 'pending_payment' then 'unsaid'
    when ${notes.total} > 1 then 'several'
    when ${payments.amountCents} <> ${registrations.feeCents} then 'differs'
    else 'found' end`;
  return db
    .select({
      ...PAYMENT_COLUMNS,
      place: place.as('place'),
      /** Payments with this note. */
      total: notes.total,
      name: registrations.name,
      status: registrations.status,
      paymentNote: registrations.paymentNote,
      feeCents: registrations.feeCents,
      kinds: registrations.kinds,
      confirmedAt: registrations.confirmedAt,
    })
    .from(payments)
    .leftJoin(notes, eq(notes.key, payments.noteKey))
    .leftJoin(registrations, eq(registrations.paymentNote, exactNote))
    .as('placed');
}

export interface PlacedPayment extends Payment {
  place: PaymentPlace;
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
  { q, place, page }: PaymentQuery,
) {
  const placed = placedPayments(s.db);
  const found = q === '' ? undefined : or(...searched(placed, q));
  const counted = await withRetry(() =>
    s.db
      .select({ place: placed.place, total: count() })
      .from(placed)
      .where(found)
      .groupBy(placed.place),
  );
  const counts = Object.fromEntries(
    PAYMENT_PLACES.map((name) => [name, counted.find((row) => row.place === name)?.total ?? 0]),
  ) as Record<PaymentPlace, number>;
  const all = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const total = place ? counts[place] : all;
  const number = Math.min(page, Math.max(1, Math.ceil(total / PAYMENTS_ON_PAGE)));
  const rows = await withRetry(() =>
    s.db
      .select()
      .from(placed)
      .where(and(found, place ? eq(placed.place, place) : undefined))
      .orderBy(desc(placed.paidAt), desc(placed.id))
      .limit(PAYMENTS_ON_PAGE)
      .offset((number - 1) * PAYMENTS_ON_PAGE),
  );
  const unmatched = rows.filter((row) => row.place === 'unmatched');
  const hints = likelyNotes(unmatched, s.live.registrations.rows());
  const named = naming(rows, s.index.queue());
  return {
    all,
    counts,
    page: { number, limit: PAYMENTS_ON_PAGE, total },
    payments: rows.map((row): PlacedPayment => ({
      id: row.id,
      paidAt: row.paidAt,
      amountCents: row.amountCents,
      note: row.note,
      place: row.place,
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

function searched({ note, id, amountCents }: ReturnType<typeof placedPayments>, q: string): SQL[] {
  const letters = lettersOf(q);
  const money = readMoney(q);
  return [
    ilike(note, `%${q.replace(/[\\%_]/g, '\\$&')}%`),
    ...(letters === '' ? [] : [sql`${idLetters(id)} like ${`%${letters}%`}`]),
    ...(money === null ? [] : [sql`${amountCents} = ${money.cents}`]),
  ];
}

/** Registrations that wait and whose payment was found, and the longest waiting of them: at most {@link TOGETHER_MAX}. */
export async function paidAndWaiting(s: ServiceContext) {
  const placed = placedPayments(s.db);
  const found = await withRetry(() =>
    s.db
      .select({
        name: sql<string>`${placed.name}`,
        note: sql<string>`${placed.paymentNote}`,
        kinds: placed.kinds,
        amountCents: placed.amountCents,
        paidAt: placed.paidAt,
        // Of all of them: they are sorted anyhow.
        total: sql<number>`cast(count(*) over () as int)`,
      })
      .from(placed)
      .where(eq(placed.place, 'found'))
      .orderBy(asc(placed.confirmedAt), asc(placed.paymentNote))
      .limit(TOGETHER_MAX),
  );
  return { total: found[0]?.total ?? 0, rows: found.map(({ total: _, ...row }) => row) };
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
  const notes = asked.slice(0, TOGETHER_MAX).filter((note) => !note.includes('\0'));
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
