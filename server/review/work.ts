import { and, eq, inArray, isNull } from 'drizzle-orm';
import { plainText } from '@mesh-registry/protocol/rest/fields.schema.ts';
import type { Db } from '#db/client.ts';
import { reviewers, reviewWork } from '#db/schema/index.ts';
import { recordAction } from '#server/audit/index.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import { inTransaction } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { readByNote } from './decisions.ts';

/**
 * Who sees to a registration, and a remark on it. Both are the reviewers' own, and change nothing about the registration.
 * An entry in the audit log tells of each change, and so tells every open queue.
 */

type Work = ReturnType<typeof presentWork>;

/** By the registration's id. Of others there is none. */
export async function readWork(db: Db, ids: string[]) {
  const rows =
    ids.length === 0
      ? []
      : await db.select().from(reviewWork).where(inArray(reviewWork.registrationId, ids));
  return new Map(rows.map((row) => [row.registrationId, presentWork(row)]));
}

const presentWork = ({ assignee, remark, remarkBy, remarkAt }: typeof reviewWork.$inferSelect) => ({
  /** The reviewer's address; null: nobody. */
  assignee,
  remark:
    remark === null || remarkBy === null || remarkAt === null
      ? null
      : { text: remark, by: remarkBy, at: remarkAt.toISOString() },
});

/** The row, which is made if there is none, and locked until the transaction ends. */
async function lockWork(tx: Db, registrationId: string) {
  await tx.insert(reviewWork).values({ registrationId }).onConflictDoNothing();
  const [row] = await tx
    .select()
    .from(reviewWork)
    .where(eq(reviewWork.registrationId, registrationId))
    .for('update');
  if (!row) throw new Error('a row that was inserted is there');
  return row;
}

export interface Assignment {
  /** The registration's payment note. */
  note: string;
  /** The address of the reviewer who assigns. */
  reviewer: string;
  /** The address of a reviewer; empty: nobody. */
  to: string;
}

/** @throws AppError `not_found`, `invalid_body` (nobody with this address reviews), `unavailable` */
export async function assign(
  { db, clock }: ServiceContext,
  { note, reviewer, to }: Assignment,
): Promise<{ assignee: string | null }> {
  const { id, paymentNote } = await readByNote(db, note);
  const assignee = to === '' ? null : to;
  await inTransaction(db, async (tx) => {
    const row = await lockWork(tx, id);
    if (row.assignee === assignee) return;
    if (assignee !== null) await requireReviewer(tx, assignee);
    await tx.update(reviewWork).set({ assignee }).where(eq(reviewWork.registrationId, id));
    const action = {
      actor: reviewer,
      action: 'registration_assigned',
      subject: paymentNote,
    } as const;
    await recordAction(tx, { ...action, reason: `to ${assignee ?? 'nobody'}` }, clock());
  });
  return { assignee };
}

async function requireReviewer(tx: Db, email: string): Promise<void> {
  const [found] = await tx
    .select({ id: reviewers.id })
    .from(reviewers)
    .where(and(eq(reviewers.email, email), isNull(reviewers.deactivatedAt)));
  if (!found)
    throw invalid('invalid_body', [{ path: 'to', message: 'must be the address of a reviewer' }]);
}

export interface Remark {
  /** The registration's payment note. */
  note: string;
  /** The reviewer's address. */
  reviewer: string;
  /** Empty: without a remark. */
  text: string;
  /** When the remark was written that the reviewer saw; empty: there was none. */
  seen: string;
}

/**
 * Replaces the remark. The same text again changes nothing.
 * @throws AppError `not_found`, `invalid_state` (somebody else has changed it since), `unavailable`
 */
export async function remark(
  { db, clock }: ServiceContext,
  { note, reviewer, text: raw, seen }: Remark,
): Promise<Pick<Work, 'remark'>> {
  const { id, paymentNote } = await readByNote(db, note);
  const now = clock();
  const text = plainText(raw) || null;
  return inTransaction(db, async (tx) => {
    const row = await lockWork(tx, id);
    if (row.remark === text) return { remark: presentWork(row).remark };
    if ((row.remarkAt?.toISOString() ?? '') !== seen)
      throw new AppError(
        'invalid_state',
        `${row.remarkBy ?? 'Another reviewer'} has changed the remark meanwhile. Read it, then save yours again.`,
      );
    const remarkAt = text === null ? null : new Date(now);
    const remarkBy = text === null ? null : reviewer;
    await tx
      .update(reviewWork)
      .set({ remark: text, remarkBy, remarkAt })
      .where(eq(reviewWork.registrationId, id));
    const action = { actor: reviewer, action: 'remark_written', subject: paymentNote } as const;
    await recordAction(tx, { ...action, reason: text ?? 'removed' }, now);
    return { remark: presentWork({ ...row, remark: text, remarkBy, remarkAt }).remark };
  });
}
