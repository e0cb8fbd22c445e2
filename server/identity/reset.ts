import { and, eq, inArray, sql } from 'drizzle-orm';
import { randomBytes } from 'node:crypto';
import type { Db } from '#db/client.ts';
import {
  formerKeys,
  idempotencyKeys,
  nodeKeys,
  registrations,
  type FormerKeyRow,
  type RegistrationRow,
} from '#db/schema/index.ts';
import { requireReason, writeRecorded } from '#server/audit/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import type { ServiceContext } from '#server/context.ts';
import { lockNode, recordFormerKey } from './former-keys.ts';
import { unpinInTransaction } from './pins.ts';

/** A new secret of a registration: 144 bits. */
export const newSecretId = (): string => `reg_${randomBytes(18).toString('base64url')}`;

export interface KeyReset {
  nodeId: string;
  /** The key to revoke; undefined: the one to which the node is pinned. */
  key?: string | undefined;
  /** The reviewer's address, as the history names them. */
  reviewer: string;
  reason: string;
}

/** What a reset has written. */
interface Written {
  revoked: FormerKeyRow[];
  unpinned: { id: string; rev: number }[];
  renewed: RegistrationRow[];
}

/**
 * Revokes a key of a node that is lost or stolen, for good: nothing that it signs counts for this node again. If the
 * node is pinned to it, the pin ends, and the keys that it has replaced are revoked too: a thief may have begun with one
 * of them. Registrations lose what the key has proved, and get new secrets: the key could list the old ones. Where the
 * pinned key has replaced it, what that one has proved gets new secrets too; it lists them.
 * @throws AppError `already_decided` (nothing is pinned, or the key is revoked), `invalid_body`, `unavailable`
 */
export async function resetKey(
  context: ServiceContext,
  { nodeId, key, reviewer, reason: raw }: KeyReset,
  now = context.clock(),
): Promise<void> {
  const reason = requireReason(raw);
  const action = { actor: reviewer, action: 'node_key_reset', subject: nodeId, reason } as const;
  let written: Written | undefined;
  const done = await writeRecorded(context.db, action, now, async (tx) => {
    const attempt = await revoke(tx, context, { nodeId, key }, now);
    // If an earlier attempt was committed, and only its answer was lost, this one finds nothing to do.
    if (attempt) written = attempt;
    return attempt?.revoked ?? [];
  });
  if (!done || !written)
    throw new AppError(
      'already_decided',
      key === undefined
        ? `${nodeId} is pinned to no key.`
        : `This key is already revoked for ${nodeId}.`,
    );
  context.live.formerKeys.apply(written.revoked);
  context.live.nodeKeys.delete(written.unpinned);
  context.live.registrations.apply(written.renewed);
}

/** @returns null if there is nothing to revoke */
async function revoke(
  tx: Db,
  context: ServiceContext,
  { nodeId, key }: Pick<KeyReset, 'nodeId' | 'key'>,
  now: number,
): Promise<Written | null> {
  await lockNode(tx, nodeId);
  const [pin] = await tx.select().from(nodeKeys).where(eq(nodeKeys.id, nodeId));
  const main = key ?? pin?.key;
  if (main === undefined) return null;
  const former = await tx.select().from(formerKeys).where(eq(formerKeys.nodeId, nodeId));
  if (former.some((row) => row.key === main && row.revokedAt !== null)) return null;
  const isPinned = pin?.key === main;
  const replaced = former.filter((row) => row.revokedAt === null && row.key !== main);
  const keys = [main, ...(isPinned ? replaced.map((row) => row.key) : [])].sort();
  const revoked: FormerKeyRow[] = [];
  for (const each of keys)
    revoked.push(
      ...(await recordFormerKey(tx, context, { nodeId, key: each, revokedAt: new Date(now) })),
    );
  const wasReplaced = former.some((row) => row.key === main && row.replacedAt !== null);
  return {
    revoked,
    unpinned: isPinned ? await unpinInTransaction(tx, context, [nodeId]) : [],
    renewed: await renewSecrets(tx, context, {
      nodeId,
      keys,
      follower: !isPinned && wasReplaced ? pin?.key : undefined,
    }),
  };
}

interface Renewal {
  nodeId: string;
  /** Whose proofs end. */
  keys: string[];
  /** The key that has followed them: its proofs stay, but they could list what it has proved. */
  follower: string | undefined;
}

/** Takes the proof of keys from the registrations of a node, and replaces the secrets that they could list. */
async function renewSecrets(
  tx: Db,
  context: ServiceContext,
  { nodeId, keys, follower = '' }: Renewal,
): Promise<RegistrationRow[]> {
  const found = await tx
    .select({ id: registrations.id })
    .from(registrations)
    .where(
      and(eq(registrations.nodeId, nodeId), inArray(registrations.proofKey, [...keys, follower])),
    );
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const secrets = Object.fromEntries(ids.map((id) => [id, newSecretId()]));
  const renewed: RegistrationRow[] = await tx
    .update(registrations)
    .set({
      proofKey: sql`case when ${registrations.proofKey} = ${follower} then ${follower} end`,
      secretId: sql`cast(${JSON.stringify(secrets)} as jsonb) ->> ${registrations.id}`,
      rev: sql`${registrations.rev} + 1`,
      writtenAt: sql`now()`,
      writtenBy: context.serverId,
    })
    .where(inArray(registrations.id, ids))
    .returning();
  // Their answers contain the old ones.
  await tx.delete(idempotencyKeys).where(inArray(idempotencyKeys.registrationId, ids));
  await context.live.record(tx, 'registrations', renewed);
  return renewed;
}
