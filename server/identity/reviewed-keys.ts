import { and, asc, eq, inArray, isNotNull, like, max, or } from 'drizzle-orm';
import { PROVED_REASON, type RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import {
  formerKeys,
  nodeKeys,
  registrationHistory,
  registrations,
  type NodeKeyRow,
} from '#db/schema/index.ts';
import { requireReason, writeRecorded } from '#server/audit/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { lockNode, requireUnrevoked } from './former-keys.ts';
import type { LastSigner } from './last-signers.ts';
import { pinInTransaction } from './pins.ts';

/** The keys of a node, as reviewers see and confirm them. */

/** The registrations that still matter. */
const LIVING = ['pending_payment', 'pending_review', 'active'] as const;

/**
 * Every key that has to do with a node: from the database, so that a reviewer sees what was committed just now.
 * @param signer who has signed the last heartbeat of the node; null if nothing was heard of it
 * @throws AppError `unavailable`
 */
export async function keysOf({ db }: ServiceContext, nodeId: string, signer: LastSigner | null) {
  const { registrationId, at, reason } = registrationHistory;
  const [[pin], former, rows] = await withRetry(() =>
    Promise.all([
      db.select().from(nodeKeys).where(eq(nodeKeys.id, nodeId)),
      db
        .select()
        .from(formerKeys)
        .where(eq(formerKeys.nodeId, nodeId))
        .orderBy(asc(formerKeys.revokedAt), asc(formerKeys.replacedAt), asc(formerKeys.key)),
      db
        .select({
          name: registrations.name,
          note: registrations.paymentNote,
          status: registrations.status,
          proofKey: registrations.proofKey,
          secretId: registrations.secretId,
          provedAt: max(at),
        })
        .from(registrations)
        .leftJoin(
          registrationHistory,
          and(eq(registrationId, registrations.id), like(reason, `%${PROVED_REASON}`)),
        )
        .where(
          and(
            eq(registrations.nodeId, nodeId),
            inArray(registrations.status, LIVING),
            or(isNotNull(registrations.proofKey), isNotNull(registrations.secretId)),
          ),
        )
        .groupBy(registrations.id)
        .orderBy(asc(registrations.createdAt), asc(registrations.id)),
    ]),
  );
  const byKey = new Map<string, ProvedName[]>();
  for (const { proofKey, provedAt, name, note, status } of rows) {
    if (proofKey === null) continue;
    const names = byKey.get(proofKey) ?? [];
    names.push({ name, note, status, provedAt: provedAt?.toISOString() ?? null });
    byKey.set(proofKey, names);
  }
  return {
    pinned: pin ? { key: pin.key, source: pin.source, pinnedAt: pin.pinnedAt.toISOString() } : null,
    /** Who signs the heartbeats of the node; null: nothing was heard of it. */
    signer: signer && {
      /** Null: they are not signed. */
      key: signer.key,
      /** Of the unbroken run of this key, or without one. */
      since: new Date(signer.since).toISOString(),
      at: new Date(signer.at).toISOString(),
    },
    /** Keys that have proved registrations of the node which are open or active, and which. */
    proving: [...byKey].map(([key, names]) => ({ key, names })),
    /** Those it had before. A key that was pinned again is none. */
    former: former
      .filter(({ key }) => key !== pin?.key)
      .map(({ key, replacedAt, revokedAt }) => ({
        key,
        replacedAt: replacedAt?.toISOString() ?? null,
        /** Null: it was replaced, but not revoked. */
        revokedAt: revokedAt?.toISOString() ?? null,
      })),
    /**
     * Registrations that got a new secret when a key was revoked, until a new key has proved them: the reviewer passes
     * it on to the operator.
     */
    renewed: rows.flatMap(({ secretId, proofKey, name, note, status }) =>
      secretId !== null && proofKey === null ? { name, note, status, secretId } : [],
    ),
  };
}

interface ProvedName {
  name: string;
  /** The payment note. */
  note: string;
  status: RegistrationStatus;
  /** When it was proved for the last time. */
  provedAt: string | null;
}

export interface ReviewedPin {
  nodeId: string;
  key: string;
  /** The reviewer's address, as the history names them. */
  reviewer: string;
  reason: string;
}

/**
 * Pins a node to a key that has proved a registration of it, on a reviewer's word: after a key of it was revoked, its
 * active names are not trusted to whoever proves them first.
 * @throws AppError `already_decided` (it is pinned), `invalid_state` (the key has proved nothing), `signature_invalid`
 *   (the key is revoked), `invalid_body`, `unavailable`
 */
export async function pinByReviewer(
  context: ServiceContext,
  { nodeId, key, reviewer, reason: raw }: ReviewedPin,
  now = context.clock(),
): Promise<void> {
  const reason = requireReason(raw);
  const action = { actor: reviewer, action: 'node_key_pinned', subject: nodeId, reason } as const;
  let pinned: NodeKeyRow | undefined;
  const done = await writeRecorded(context.db, action, now, async (tx) => {
    await lockNode(tx, nodeId);
    await requireUnrevoked(tx, nodeId, key);
    const [proved] = await tx
      .select({ id: registrations.id })
      .from(registrations)
      .where(
        and(
          eq(registrations.nodeId, nodeId),
          eq(registrations.proofKey, key),
          inArray(registrations.status, LIVING),
        ),
      )
      .limit(1);
    if (!proved)
      throw new AppError(
        'invalid_state',
        `This key has proved no open or active registration of ${nodeId}.`,
      );
    const made = await pinInTransaction(tx, context, { nodeId, key, source: 'review' }, now);
    pinned = made ?? pinned;
    return made ? [made] : [];
  });
  if (!done || !pinned)
    throw new AppError('already_decided', `${nodeId} is already pinned to a key.`);
  context.live.nodeKeys.apply([pinned]);
}
