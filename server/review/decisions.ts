import { and, asc, desc, eq, gt, inArray, isNotNull, notInArray } from 'drizzle-orm';
import {
  never,
  OPERATOR,
  REASON_MAX,
  SYSTEM,
  UNDO_MS,
  type DecisionKind,
} from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { registrationHistory, registrations, type RegistrationRow } from '#db/schema/index.ts';
import { requireReason } from '#server/audit/index.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { readMatches, type PaymentMatch } from '#server/payments/index.ts';
import {
  CANCELLED_REASON,
  changeRegistration,
  EXPIRED_REASON,
  noticesThatAsk,
  type Change,
  type InTransaction,
  type ReviewIndex,
} from '#server/registration/index.ts';

/**
 * Decisions. One takes effect at once, as a change of state. For {@link UNDO_MS} the reviewer who made it can undo it,
 * which is a change of state too: only then receivers and the public log hear of it.
 */

export interface NewDecision {
  /** The registration's payment note. */
  note: string;
  /** The reviewer's address. */
  reviewer: string;
  decision: DecisionKind;
  /**
   * Required to reject or revoke: the operator sees it. Required to accept without a matching payment: the reviewers
   * alone see it, in the history.
   */
  reason?: string | undefined;
  /** To reject: the `rev` of the registration that the reviewer saw; without it, the current one. */
  rev?: number | undefined;
  /** To accept a registration although keys speak against it: the reviewer has read why. */
  despiteNotices?: boolean | undefined;
}

/** What decisions need beyond the service context. */
type DecisionContext = ServiceContext & { readonly reviewIndex: ReviewIndex };

/** What else has to be right about a registration that is accepted for its payment; throws to refuse. */
type RequireMore = (match: PaymentMatch) => void;

/** A decision of the last seconds. */
export type RecentDecision = NonNullable<ReturnType<typeof recentDecision>>;

/**
 * Accepts, rejects or revokes a registration. Of several reviewers at once, one decides. Repeating a decision of one's
 * own while it can be undone changes nothing. Without a reason only what an imported payment pays for is accepted, if
 * the payment is still there as the decision is committed.
 * @param inTransaction committed together with the decision; throws to prevent both
 * @param requireMore checks also the payment for which a registration is accepted
 * @throws AppError `not_found`, `invalid_body` (the reason), `already_decided` (someone else was first),
 *   `invalid_state` (also to accept despite notices that ask), `unavailable`, or what the functions throw
 */
export async function decide(
  context: DecisionContext,
  { note, reviewer, decision, reason: raw = '', rev, despiteNotices = false }: NewDecision,
  now = context.clock(),
  { inTransaction, requireMore }: { inTransaction?: InTransaction; requireMore?: RequireMore } = {},
): Promise<RecentDecision> {
  const accepting = decision === 'accept';
  const reason = accepting && raw.trim() === '' ? null : requireReason(raw);
  const { id } = await readByNote(context.db, note);
  let seen: RegistrationRow | undefined;
  const row = await changeRegistration(
    context,
    { id },
    now,
    (found) => {
      const earlier = recentDecision(found, now);
      if (
        earlier?.decision === decision &&
        earlier.by === reviewer &&
        (accepting || earlier.reason === reason)
      )
        return null;
      requireDecidable(decision, found, rev);
      if (accepting && !despiteNotices) requireNoNotice(context, found);
      seen = found;
      return changeFor(decision, reviewer, reason, new Date(now));
    },
    async (tx, after) => {
      if (seen && reason === null) await requirePayment(tx, seen, requireMore);
      await inTransaction?.(tx, after);
    },
  );
  const made = recentDecision(row, now);
  if (!made) throw new Error('a decision left its registration undecided');
  return made;
}

/** @throws AppError `invalid_body`, or what `requireMore` throws */
async function requirePayment(
  tx: Db,
  row: RegistrationRow,
  requireMore?: RequireMore,
): Promise<void> {
  const match = (await readMatches(tx, [row])).get(row.id);
  if (match) requireMore?.(match);
  if (match?.state !== 'found')
    throw new AppError(
      'invalid_body',
      'No import has one payment of the right amount with this note. Say why you accept the registration without it.',
      { issues: [{ path: 'reason', message: `must have 1 to ${REASON_MAX} characters` }] },
    );
}

/** @throws AppError `invalid_state` */
function requireNoNotice(context: DecisionContext, row: RegistrationRow): void {
  const notices = noticesThatAsk(context, row);
  if (notices.length === 0) return;
  throw new AppError(
    'invalid_state',
    `It is unclear who owns this node: ${notices.join(' ')} Check it, and say that you accept the registration nevertheless.`,
    {
      issues: [{ path: 'despiteNotices', message: 'must be true to accept despite the notices' }],
    },
  );
}

function changeFor(
  decision: DecisionKind,
  reviewer: string,
  reason: string | null,
  at: Date,
): Change {
  const decided = { decidedAt: at, decidedBy: reviewer };
  const change = { actor: reviewer, ...(reason !== null && { reason }) };
  // Of an accepted registration only the history has the reason, which is the reviewers' own.
  return decision === 'accept'
    ? { ...change, to: 'active', set: { ...decided, rejectionReason: null, activatedAt: at } }
    : { ...change, to: 'rejected', set: { ...decided, rejectionReason: reason } };
}

/** The decision that a registration shows, while its reviewer can undo it. */
function recentDecision(row: RegistrationRow, now: number) {
  const { status, decidedAt, decidedBy, activatedAt } = row;
  if (decidedAt === null || decidedBy === null || decidedBy === OPERATOR || decidedBy === SYSTEM)
    return null;
  const undoUntil = decidedAt.getTime() + UNDO_MS;
  if (undoUntil <= now) return null;
  const decision: DecisionKind =
    status === 'active' ? 'accept' : activatedAt === null ? 'reject' : 'revoke';
  return {
    note: row.paymentNote,
    name: row.name,
    decision,
    reason: row.rejectionReason,
    /** The reviewer's address. */
    by: decidedBy,
    /** Until then its reviewer can undo it. */
    undoUntil: new Date(undoUntil).toISOString(),
  };
}

/**
 * Undoes a decision: its registration is again what it was, and nobody hears of it.
 * @throws AppError `not_found`, `already_decided` (too late), `invalid_state` (it is another reviewer's, or there is
 *   none), `name_taken` (meanwhile somebody else registers the name), `unavailable`
 */
export async function undo(
  context: ServiceContext,
  { note, reviewer }: Pick<NewDecision, 'note' | 'reviewer'>,
  now = context.clock(),
): Promise<void> {
  const { id } = await readByNote(context.db, note);
  const history = await statusChanges(context, id);
  let undone: Change | undefined;
  await changeRegistration(context, { id }, now, (row) => {
    // The attempt before was committed, and only its answer was lost.
    if (undone?.to === row.status) return null;
    return (undone = changeBack(row, history, reviewer, now));
  });
}

function changeBack(
  row: RegistrationRow,
  history: StatusChangeRow[],
  reviewer: string,
  now: number,
): Change {
  const { status, decidedAt, decidedBy, activatedAt } = row;
  if (decidedAt === null) throw new AppError('invalid_state', 'There is nothing to undo.');
  const recent = recentDecision(row, now);
  if (!recent) throw alreadyDecided(row);
  if (recent.by !== reviewer)
    throw new AppError('invalid_state', `Only ${recent.by} can undo this decision.`);
  const made = history.findLast(
    ({ at, actor, toStatus }) =>
      at.getTime() === decidedAt.getTime() && actor === decidedBy && toStatus === status,
  );
  if (!made?.fromStatus)
    throw new AppError('invalid_state', 'Somebody else is changing this registration. Try again.');
  const change = { to: made.fromStatus, actor: reviewer, undoes: { rev: made.rev, at: made.at } };
  const set = { rejectionReason: null, decidedAt: null, decidedBy: null };
  if (made.fromStatus !== 'active')
    return { ...change, set: status === 'active' ? { ...set, activatedAt: null } : set };
  // A name that was revoked is active again, by whom it was before.
  const accepted = history.findLast(({ fromStatus }) => fromStatus === 'pending_review');
  return { ...change, set: { ...set, decidedAt: activatedAt, decidedBy: accepted?.actor ?? null } };
}

export interface Rejections {
  /** The reviewer's address. */
  reviewer: string;
  /** The operators see it. */
  reason: string | undefined;
  /** The registrations' payment notes, each with the `rev` that the reviewer saw. At most `QUEUE_LIMIT`. */
  rows: { note: string; rev: number }[];
}

export type RejectedTogether = Awaited<ReturnType<typeof rejectTogether>>;

/**
 * Rejects each of the registrations as a single decision does, with the same time to undo it. Those that someone else
 * has decided, or whose operator has changed them, are left out.
 * @throws AppError `invalid_body` (the reason), `unavailable`
 */
export async function rejectTogether(
  context: DecisionContext,
  { reviewer, reason, rows }: Rejections,
) {
  const revs = new Map(rows.map(({ note, rev }) => [note, rev]));
  const now = context.clock();
  const stored = requireReason(reason ?? '');
  const why = new Map<string, string>();
  await eachOf([...revs.keys()], async (note) => {
    try {
      await decide(
        context,
        { note, reviewer, decision: 'reject', reason, rev: revs.get(note) },
        now,
      );
    } catch (error) {
      if (!isAppError(error) || error.code === 'unavailable') throw error;
      why.set(note, error.message);
    }
  });
  const names = await namesOf(context.db, [...why.keys()]);
  return {
    /** The notes of those that are rejected. */
    notes: [...revs.keys()].filter((note) => !why.has(note)),
    reason: stored,
    /** The others, and why, in the order of the request. */
    leftOut: [...revs.keys()].flatMap((note) => {
      const refused = why.get(note);
      return refused === undefined ? [] : [{ note, name: names.get(note) ?? null, why: refused }];
    }),
  };
}

/** The names of the registrations with these notes. @throws AppError `unavailable` */
async function namesOf(db: Db, notes: string[]): Promise<Map<string, string>> {
  const { name, paymentNote: note } = registrations;
  // The database stores no NUL.
  const asked = notes.filter((each) => !each.includes('\0'));
  if (asked.length === 0) return new Map();
  const rows = await withRetry(() =>
    db.select({ note, name }).from(registrations).where(inArray(note, asked)),
  );
  return new Map(rows.map(({ note, name }) => [note, name]));
}

/**
 * Undoes those of the reviewer's decisions on these registrations that can be undone.
 * @throws AppError `already_decided` (it is too late for all of them), `name_taken` (for some), `unavailable`
 */
export async function undoTogether(
  context: ServiceContext,
  { notes, reviewer }: { notes: string[]; reviewer: string },
): Promise<void> {
  const now = context.clock();
  const errors: AppError[] = [];
  await eachOf(notes, async (note) => {
    try {
      await undo(context, { note, reviewer }, now);
    } catch (error) {
      if (!isAppError(error)) throw error;
      errors.push(error);
    }
  });
  const serious = errors.find(({ code }) => code === 'name_taken' || code === 'unavailable');
  if (serious) throw serious;
  if (errors.length === notes.length)
    throw new AppError('already_decided', 'These decisions can no longer be undone.');
}

/** Registrations that are changed at the same time, each in a transaction of its own. */
const TOGETHER = 4;

/** Does the same for each of several registrations. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>) {
  const left = items.values();
  const workers = Array.from({ length: TOGETHER }, async () => {
    for (const item of left) await work(item);
  });
  await Promise.all(workers);
}

/** The decisions that can still be undone, of all reviewers, newest first. @throws AppError `unavailable` */
export async function recentDecisions(
  { db }: ServiceContext,
  now: number,
): Promise<RecentDecision[]> {
  // The history has an index by time; the row tells whether the decision still stands.
  const found = await withRetry(() =>
    db
      .selectDistinctOn([registrationHistory.at, registrations.id], { row: registrations })
      .from(registrationHistory)
      .innerJoin(
        registrations,
        and(
          eq(registrations.id, registrationHistory.registrationId),
          eq(registrations.decidedAt, registrationHistory.at),
          eq(registrations.status, registrationHistory.toStatus),
        ),
      )
      .where(
        and(
          gt(registrationHistory.at, new Date(now - UNDO_MS)),
          notInArray(registrationHistory.actor, [OPERATOR, SYSTEM]),
          isNotNull(registrationHistory.fromStatus),
        ),
      )
      .orderBy(desc(registrationHistory.at), asc(registrations.id)),
  );
  return found.flatMap(({ row }) => recentDecision(row, now) ?? []);
}

/**
 * Refuses a decision that the state of the registration does not allow.
 * @param rev the one that the decision is about; without it, any
 * @throws AppError `already_decided`, `invalid_state`
 */
function requireDecidable(decision: DecisionKind, row: RegistrationRow, rev?: number): void {
  switch (decision) {
    case 'accept':
      if (row.status === 'pending_payment')
        throw new AppError('invalid_state', 'The operator has not confirmed the payment yet.');
      if (row.status !== 'pending_review') throw alreadyDecided(row);
      return;
    case 'reject':
      if (row.status !== 'pending_review' && row.status !== 'pending_payment')
        throw alreadyDecided(row);
      // "Nobody paid" must not reach an operator who has confirmed the payment in the meantime.
      if (rev !== undefined && row.rev !== rev)
        throw new AppError(
          'invalid_state',
          'The operator has changed this registration since you opened it. Check it again, then decide.',
        );
      return;
    case 'revoke':
      if (row.status === 'rejected') throw alreadyDecided(row);
      if (row.status !== 'active')
        throw new AppError(
          'invalid_state',
          'Only an active registration can be revoked. Reject this one instead.',
        );
      return;
    default:
      return never(decision);
  }
}

/** For the reviewer who is second: what was decided, by whom and when. */
function alreadyDecided(row: RegistrationRow): AppError {
  const at = (row.decidedAt ?? row.updatedAt).toISOString();
  // In the format of the pages.
  const when = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
  const what =
    row.status === 'active'
      ? `accepted by ${row.decidedBy}`
      : row.decidedBy === SYSTEM
        ? `ended by the system (${EXPIRED_REASON})`
        : row.decidedBy === OPERATOR
          ? CANCELLED_REASON
          : `rejected by ${row.decidedBy} (${row.rejectionReason})`;
  return new AppError('already_decided', `This registration was already ${what} at ${when}.`);
}

export type StatusChangeRow = typeof registrationHistory.$inferSelect;

/** Every change of state of one registration, oldest first. @throws AppError `unavailable` */
export const statusChanges = ({ db }: ServiceContext, id: string): Promise<StatusChangeRow[]> =>
  withRetry(() =>
    db
      .select()
      .from(registrationHistory)
      .where(eq(registrationHistory.registrationId, id))
      .orderBy(asc(registrationHistory.rev)),
  );

/** The registration with this payment note. @throws AppError `not_found`, `unavailable` */
export async function readByNote(db: Db, note: string): Promise<RegistrationRow> {
  // The database stores no NUL.
  const [row] = note.includes('\0')
    ? []
    : await withRetry(() =>
        db.select().from(registrations).where(eq(registrations.paymentNote, note)),
      );
  if (!row) throw new AppError('not_found', 'No registration has this payment note.');
  return row;
}
