import { and, eq, isNull, sql } from 'drizzle-orm';
import { KeyRotation } from '@mesh-registry/protocol/rest/identity.schema.ts';
import type { Db } from '#db/client.ts';
import {
  blockedNodes,
  formerKeys,
  nodeKeys,
  registrations,
  type NodeKeyRow,
  type RegistrationRow,
} from '#db/schema/index.ts';
import { AppError, parse } from '#server/common/errors.schema.ts';
import { inTransaction } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { limitReplaced, lockNode, recordFormerKey, requireUnrevoked } from './former-keys.ts';
import { verifyNodeProof, type ProofChecks } from './node-proof.ts';
import { pinOf, repinInTransaction, signatureRequired } from './pins.ts';

export interface RotationRequest {
  nodeId: string;
  /** The key that has signed the request. */
  signer: string;
  body: unknown;
  /** Origin of this service, as its users know it. */
  network: string | null;
}

/**
 * Replaces the key of a pinned node by another, which proves itself. Registrations that the old key has proved follow.
 * Asked again with the new key, once it is pinned, it changes nothing. A blocked node keeps its key: who signs the
 * network's bans knows it by that.
 * @throws AppError `invalid_body`, `invalid_state` (nothing is pinned), `signature_required`, `signature_invalid`,
 *   `blocked`, `rate_limited`, `unavailable`
 */
export async function rotateKey(
  context: ServiceContext,
  checks: ProofChecks,
  { nodeId, signer, body, network }: RotationRequest,
  now = context.clock(),
): Promise<NodeKeyRow> {
  const { key, proof } = parse(KeyRotation, body, 'invalid_body');
  const pin = pinOf(context, nodeId);
  if (!pin) throw notPinned();
  if (pin.key !== signer) throw signatureRequired(signer);
  if (pin.key === key) return pin;
  const expected = { action: 'rotate', network, nodeId, key, previous: signer } as const;
  const prover = await verifyNodeProof(checks, proof, expected);
  if (prover !== key)
    throw checks.freshness.refusal('wrong', 'The proof must be signed by the new key.');
  const { repinned, former, followed } = await inTransaction(context.db, async (tx) => {
    await lockNode(tx, nodeId);
    if (await isBlockedIn(tx, nodeId)) throw blockedRotation();
    for (const each of [signer, key]) await requireUnrevoked(tx, nodeId, each);
    const repinned = await repinInTransaction(tx, context, { nodeId, key, previous: signer }, now);
    if (!repinned) {
      // An earlier attempt was committed, and only its answer was lost; or another rotation was first.
      const [found] = await tx.select().from(nodeKeys).where(eq(nodeKeys.id, nodeId));
      const former = await tx.select().from(formerKeys).where(eq(formerKeys.nodeId, nodeId));
      return { repinned: found?.key === key ? found : undefined, former, followed: [] };
    }
    await limitReplaced(tx, context, nodeId, now);
    const replacedAt = new Date(now);
    const former = await recordFormerKey(tx, context, { nodeId, key: signer, replacedAt });
    const followed: RegistrationRow[] = await tx
      .update(registrations)
      .set({
        proofKey: key,
        rev: sql`${registrations.rev} + 1`,
        writtenAt: sql`now()`,
        writtenBy: context.serverId,
      })
      .where(and(eq(registrations.nodeId, nodeId), eq(registrations.proofKey, signer)))
      .returning();
    await context.live.record(tx, 'registrations', followed);
    return { repinned, former, followed };
  });
  if (!repinned) throw signatureRequired(signer);
  context.live.formerKeys.apply(former);
  context.live.nodeKeys.apply([repinned]);
  context.live.registrations.apply(followed);
  return repinned;
}

/** Whether reviewers have blocked the node, by the database: a server's memory may be two seconds old. */
export async function isBlockedIn(tx: Db, nodeId: string): Promise<boolean> {
  const [blocked] = await tx
    .select({ id: blockedNodes.id })
    .from(blockedNodes)
    .where(and(eq(blockedNodes.id, nodeId), isNull(blockedNodes.liftedAt)));
  return blocked !== undefined;
}

const blockedRotation = () =>
  new AppError(
    'blocked',
    'Reviewers have blocked this node, so its key can’t be replaced. Ask the operator of the network.',
  );

const notPinned = () =>
  new AppError(
    'invalid_state',
    'This node id is pinned to no key, so there is none to replace. Register a name for the node first, proved by its key.',
  );
