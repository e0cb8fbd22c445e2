import { and, count, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { formerKeys, registeringNodes, type FormerKeyRow } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { SetMap } from '#server/common/set-map.ts';
import type { ServiceContext } from '#server/context.ts';
import type { LiveModel } from '#server/live/index.ts';

/**
 * The keys that nodes had before: replaced in a rotation, or revoked by a reviewer. Whoever holds a revoked key can do
 * nothing with it for that node. Whoever writes applies the rows to `live.formerKeys` after the commit.
 */

/** A node id has no colon. */
const idOf = (nodeId: string, key: string): string => `${nodeId}:${key}`;

/** Whether a reviewer has revoked this key of the node, as far as this server has read. */
export const isRevoked = (
  { live }: Pick<ServiceContext, 'live'>,
  nodeId: string,
  key: string,
): boolean => (live.formerKeys.get(idOf(nodeId, key))?.revokedAt ?? null) !== null;

/** The error for what a revoked key has signed. */
export const keyRevoked = (): AppError =>
  new AppError(
    'signature_invalid',
    'A reviewer has revoked this key for this node. Make a new one with “mesh-agent identity rotate”, and prove your registrations with it, by the new links that the reviewers have.',
  );

/**
 * Makes others who change the keys of this node, or let one prove something, wait until this transaction has ended.
 * Call it before the transaction changes any registration of the node, so that two can't wait for each other.
 */
export const lockNode = (tx: Db, nodeId: string): Promise<void> => lockNodes(tx, [nodeId]);

/** Does what {@link lockNode} does for several nodes. A transaction calls one of them, once. */
export async function lockNodes(tx: Db, nodeIds: string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  // In one order, so that two can't wait for each other.
  const sorted = [...new Set(nodeIds)].sort();
  // The rows are never committed; until the transaction ends, they make another insert of them wait.
  await tx
    .insert(registeringNodes)
    .values(sorted.map((nodeId) => ({ nodeId })))
    .onConflictDoUpdate({
      target: registeringNodes.nodeId,
      set: { nodeId: sql`excluded.node_id` },
    });
  await tx.delete(registeringNodes).where(inArray(registeringNodes.nodeId, sorted));
}

/**
 * Refuses a key that a reviewer has revoked, whatever this server has read so far.
 * @param tx has called {@link lockNode} if it writes what the key proves
 * @throws AppError `signature_invalid`
 */
export async function requireUnrevoked(tx: Db, nodeId: string, key: string): Promise<void> {
  const [revoked] = await tx
    .select({ id: formerKeys.id })
    .from(formerKeys)
    .where(and(eq(formerKeys.id, idOf(nodeId, key)), isNotNull(formerKeys.revokedAt)));
  if (revoked) throw keyRevoked();
}

/** Whether a reviewer has revoked any key of the node. */
export async function hasRevokedKey(tx: Db, nodeId: string): Promise<boolean> {
  const [revoked] = await tx
    .select({ id: formerKeys.id })
    .from(formerKeys)
    .where(and(eq(formerKeys.nodeId, nodeId), isNotNull(formerKeys.revokedAt)))
    .limit(1);
  return revoked !== undefined;
}

/** Writes that a key was replaced or revoked. @returns its row */
export async function recordFormerKey(
  tx: Db,
  { live, serverId }: Pick<ServiceContext, 'live' | 'serverId'>,
  {
    nodeId,
    key,
    ...at
  }: Pick<FormerKeyRow, 'nodeId' | 'key'> & ({ replacedAt: Date } | { revokedAt: Date }),
): Promise<FormerKeyRow[]> {
  const moment = 'replacedAt' in at ? at.replacedAt : at.revokedAt;
  const rows = await tx
    .insert(formerKeys)
    .values({
      id: idOf(nodeId, key),
      nodeId,
      key,
      ...at,
      rev: moment.getTime(),
      writtenBy: serverId,
    })
    .onConflictDoUpdate({
      target: formerKeys.id,
      set: {
        ...at,
        rev: sql`${formerKeys.rev} + 1`,
        // Citus refuses now() here.
        writtenAt: sql`excluded.written_at`,
        writtenBy: serverId,
      },
    })
    .returning();
  await live.record(tx, 'former_keys', rows);
  return rows;
}

const DAY_MS = 86_400_000;
/** Keys of a node that may be replaced in a day: their rows are kept as long as the node. */
const REPLACED_A_DAY = 20;

/** Refuses to replace yet another key of the node today. @throws AppError `rate_limited` */
export async function limitReplaced(
  tx: Db,
  { config }: Pick<ServiceContext, 'config'>,
  nodeId: string,
  now: number,
): Promise<void> {
  if (!config.rateLimits) return;
  const [today] = await tx
    .select({ n: count() })
    .from(formerKeys)
    .where(and(eq(formerKeys.nodeId, nodeId), gt(formerKeys.replacedAt, new Date(now - DAY_MS))));
  if ((today?.n ?? 0) >= REPLACED_A_DAY)
    throw new AppError(
      'rate_limited',
      `The key of this node was replaced ${REPLACED_A_DAY} times in 24 hours, the most allowed. Try again later.`,
      { retryAfter: 3600 },
    );
}

/** The former keys in memory, by node. */
export class FormerKeyIndex {
  readonly #ofNode = new SetMap<string>();

  constructor(private readonly live: LiveModel) {
    live.formerKeys.follow({
      changed: ({ id, nodeId }) => this.#ofNode.add(nodeId, id),
      removed: ({ id, nodeId }) => this.#ofNode.delete(nodeId, id),
    });
  }

  /** The keys of a node that reviewers have revoked, sorted. */
  revoked(nodeId: string): string[] {
    return [...this.#ofNode.get(nodeId)]
      .flatMap((id) => this.live.formerKeys.get(id) ?? [])
      .filter(({ revokedAt }) => revokedAt !== null)
      .map(({ key }) => key)
      .sort();
  }
}
