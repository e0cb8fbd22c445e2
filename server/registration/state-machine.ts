import { and, asc, eq, lte, sql, type SQL } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import {
  hasSecretId,
  isExpired,
  nameClaims,
  registrationHistory,
  registrations,
  type RegistrationRow,
} from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { SYSTEM, type RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { ServiceContext } from '#server/context.ts';
import { lockNode, readPin, requireUnrevoked, unpinInTransaction } from '#server/identity/index.ts';
import {
  enqueueDecision,
  enqueueMessage,
  withdrawDecision,
  withdrawMessage,
} from '#server/outbox/index.ts';
import { limitProvedOfNode } from './open-registrations.ts';
import { isNodeProved, pinActivated, type Pinned } from './proof.ts';

/**
 * The states of a registration, and the only code that changes them.
 *
 *   (start) → pending_payment → pending_review → active
 *                   │    ▲             │           │
 *                   ▼    │ late        ▼           ▼
 *                 rejected ◄───────────┴───────────┘
 *
 * A registration is rejected by a reviewer, by the system when its reservation expires, or by its own operator, who
 * cancels it or releases the name. For a few seconds the reviewer who made a decision can undo it: each of their arrows
 * then leads back.
 *
 * Every change is one conditional UPDATE on the row's rev, in one transaction with its history row and its
 * effect on the name's claim: the second one finds another rev, reads the row again and decides again. A
 * registration that is not rejected holds its name.
 */

export const EXPIRED_REASON = 'payment window passed';

/** Work that is committed together with a change, or not at all. It gets the registration after the change. */
export type InTransaction = (tx: Db, after: RegistrationRow) => Promise<void>;

export interface Change {
  to: RegistrationStatus;
  actor: string;
  reason?: string;
  /** The key by whose proof it is allowed, or that it stores: refused if a reviewer has revoked it by now. */
  key?: string | undefined;
  /**
   * Called again with the pin of the node in the transaction, where some key has proved the registration or is to: what
   * this server remembers may be a second old. Throws an AppError to refuse.
   */
  requirePin?: (pin: Pinned) => void;
  /** Other columns that change together with the state. */
  set?: Partial<typeof registrations.$inferInsert>;
  /** The change that this one undoes, as the history has it: the messages about it go. */
  undoes?: { rev: number; at: Date };
}

/** What the system does to an expired reservation. */
const expiry = (now: number): Change => ({
  to: 'rejected',
  actor: SYSTEM,
  reason: EXPIRED_REASON,
  set: { rejectionReason: EXPIRED_REASON, decidedAt: new Date(now), decidedBy: SYSTEM },
});

export const noRegistration = () =>
  new AppError('not_found', 'No registration has this id. Check the id, or start a registration.');

/** What finds a registration: its id within the service, or the secret that its operator has. */
export type Handle = { id: string } | { secret: string };

const isHandled = (handle: Handle): SQL =>
  'id' in handle ? eq(registrations.id, handle.id) : hasSecretId(handle.secret);

/** Losing this many rounds takes others who change the same registration without pause. */
const MAX_ROUNDS = 10;

/**
 * Reads a registration, asks `decide` for a change, and applies it if the row is still the one that `decide` saw;
 * otherwise asks again.
 * @param decide returns a change, or null to change nothing; throws an AppError to refuse
 * @param inTransaction work that is committed together with the change; throws to prevent both
 * @returns the registration after the change
 * @throws AppError `not_found`, `name_taken` and `rate_limited` (late confirm), `signature_invalid` (its key is revoked),
 *   `unavailable`, or what `decide` throws
 */
export async function changeRegistration(
  context: ServiceContext,
  handle: Handle,
  now: number,
  decide: (row: RegistrationRow) => Change | null,
  inTransaction?: InTransaction,
): Promise<RegistrationRow> {
  return withRetry(async (attempt) => {
    for (let round = 0; round < MAX_ROUNDS && !attempt.late; round++) {
      const [found] = await context.db.select().from(registrations).where(isHandled(handle));
      if (!found) throw noRegistration();
      const expired = isExpired(found, now);
      const change = expired ? expiry(now) : decide(found);
      if (!change) return found;
      const changed = await context.db.transaction(async (tx) => {
        const key = expired ? undefined : change.key;
        if (found.proofKey !== null || key !== undefined) await lockNode(tx, found.nodeId);
        if (key !== undefined) await requireUnrevoked(tx, found.nodeId, key);
        if (!expired && change.requirePin && (found.proofKey !== null || key !== undefined))
          change.requirePin(await readPin(tx, found.nodeId));
        const rows = await applyChange(tx, context, found, change, now);
        if (!rows) return null;
        const after = rows[0] ?? found;
        if (!expired) await inTransaction?.(tx, after);
        return {
          rows,
          pin: await pinActivated(tx, context, found, after, now),
          // The pin that the activation made ends with it.
          unpinned: change.undoes
            ? await unpinInTransaction(tx, context, [found.nodeId], {
                source: 'registration',
                pinnedAt: change.undoes.at,
              })
            : [],
        };
      });
      const after = changed?.rows.find((row) => row.id === found.id);
      if (!changed || !after) continue;
      context.live.registrations.apply(changed.rows);
      if (changed.pin) context.live.nodeKeys.apply([changed.pin]);
      context.live.nodeKeys.delete(changed.unpinned);
      if (!expired) return after;
    }
    throw new AppError('invalid_state', 'Somebody else is changing this registration. Try again.');
  });
}

/** @returns every registration that changed, this one first; null if `row` is no longer current */
async function applyChange(
  tx: Db,
  context: ServiceContext,
  row: RegistrationRow,
  change: Change,
  now: number,
): Promise<RegistrationRow[] | null> {
  const at = new Date(now);
  const [after] = await tx
    .update(registrations)
    .set({
      ...change.set,
      status: change.to,
      updatedAt: at,
      rev: sql`${registrations.rev} + 1`,
      writtenAt: sql`now()`,
      writtenBy: context.serverId,
    })
    .where(and(eq(registrations.id, row.id), eq(registrations.rev, row.rev)))
    .returning();
  if (!after) return null;
  await context.live.record(tx, 'registrations', [after]);
  const others: RegistrationRow[] = [];
  if (change.to === 'rejected')
    await tx
      .delete(nameClaims)
      .where(and(eq(nameClaims.name, row.name), eq(nameClaims.registrationId, row.id)));
  else if (row.status === 'rejected') {
    // Who undoes a decision opens nothing: no limit may keep the name from its holder.
    if (!change.undoes && isNodeProved(context, after))
      await limitProvedOfNode(tx, context, after, now);
    others.push(...(await claimName(tx, context, row, now)));
  }
  // A correction has a reason that says what was corrected; an added confirmation text is only the reviewers'.
  if (change.to !== row.status || change.reason !== undefined)
    await tx.insert(registrationHistory).values({
      registrationId: row.id,
      rev: after.rev,
      at,
      actor: change.actor,
      fromStatus: row.status,
      toStatus: change.to,
      reason: change.reason ?? null,
    });
  if (change.undoes) {
    await withdrawMessage(tx, row.id, change.undoes);
    await withdrawDecision(tx, row.id, change.undoes.at);
  } else {
    await enqueueMessage(tx, context, row, after, now);
    await enqueueDecision(tx, context, row, after, now);
  }
  return [after, ...others];
}

/**
 * Makes a registration the holder of its name. A holder whose reservation has expired loses it.
 * @returns the registrations that lost the name
 * @throws AppError `name_taken`
 */
export async function claimName(
  tx: Db,
  context: ServiceContext,
  row: RegistrationRow,
  now: number,
): Promise<RegistrationRow[]> {
  const { name, id: registrationId } = row;
  const expired: RegistrationRow[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const [claim] = await tx
      .insert(nameClaims)
      .values({ name, registrationId, claimedAt: new Date(now) })
      .onConflictDoNothing()
      .returning({ holder: nameClaims.registrationId });
    if (claim) return expired;
    const holder = await holderOf(tx, name);
    if (!holder) continue;
    if (holder.id === registrationId) return expired;
    if (!isExpired(holder, now)) break;
    expired.push(...((await applyChange(tx, context, holder, expiry(now), now)) ?? []));
  }
  throw nameTaken(name);
}

export const nameTaken = (name: string) =>
  new AppError('name_taken', `The name "${name}" is taken. Choose another name.`, {
    issues: [{ path: 'name', message: 'is taken' }],
  });

/** The registration that holds a name. */
export async function holderOf(db: Db, name: string): Promise<RegistrationRow | undefined> {
  const [found] = await db
    .select({ holder: registrations })
    .from(nameClaims)
    .innerJoin(registrations, eq(registrations.id, nameClaims.registrationId))
    .where(eq(nameClaims.name, name));
  return found?.holder;
}

/** Expired reservations that one call ends. */
const BATCH = 500;

/**
 * Ends expired reservations. Any number of servers may do this at once, and one failure does not keep the others
 * from ending.
 * @throws AppError `unavailable`
 */
export async function endExpiredReservations(
  context: ServiceContext,
  now = context.clock(),
): Promise<void> {
  const expired = await context.db
    .select({ id: registrations.id })
    .from(registrations)
    .where(
      and(eq(registrations.status, 'pending_payment'), lte(registrations.expiresAt, new Date(now))),
    )
    .orderBy(asc(registrations.expiresAt))
    .limit(BATCH);
  let failure: unknown;
  for (const { id } of expired)
    await changeRegistration(context, { id }, now, () => null).catch((error: unknown) => {
      failure ??= error;
    });
  if (failure !== undefined) throw failure as Error;
}
