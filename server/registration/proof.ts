import { and, eq } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import {
  isExpired,
  registrations,
  type NodeKeyRow,
  type RegistrationRow,
} from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { inTransaction } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import {
  hasRevokedKey,
  lockNode,
  needsReviewer,
  pinInTransaction,
  pinOf,
} from '#server/identity/index.ts';
import type { ReviewIndex } from './review-index.ts';

/**
 * A registration is proved by the key of its node: whoever holds that key has started it, confirmed its payment or
 * claimed it. The first key that proves a registration stays, until its node is pinned to another one.
 */

type Proved = Pick<RegistrationRow, 'nodeId' | 'proofKey'>;

/** Whether the key that has proved a registration counts: a pin to another key outweighs it. */
export function isNodeProved(
  context: Pick<ServiceContext, 'live'>,
  { nodeId, proofKey }: Proved,
): boolean {
  if (proofKey === null) return false;
  const pin = pinOf(context, nodeId);
  return !pin || pin.key === proofKey;
}

/** Whether the node’s own key has proved a registration: the one to which the node is pinned. */
export function isOfNode<Row extends Proved>(
  context: Pick<ServiceContext, 'live'>,
  row: Row,
): row is Row & { proofKey: string } {
  return row.proofKey !== null && pinOf(context, row.nodeId)?.key === row.proofKey;
}

/**
 * What changes when a key proves a registration; null: nothing, because it has. The key that a node is pinned to
 * replaces any other; and any key does where a name is active and its node has no pin, because a reviewer has reset it.
 * @throws AppError `invalid_state` (another key was first)
 */
export function proveBy(
  context: Pick<ServiceContext, 'live'>,
  row: Pick<RegistrationRow, 'nodeId' | 'proofKey' | 'status'>,
  key: string,
): { proofKey: string } | null {
  if (row.proofKey === key) return null;
  const pin = pinOf(context, row.nodeId);
  const replaceable = pin ? pin.key === key : row.status === 'active';
  if (row.proofKey !== null && !replaceable)
    throw new AppError('invalid_state', 'Another key has proved this registration already.');
  return { proofKey: key };
}

/**
 * Pins the node of a registration that has become active to the key that has proved it, in the transaction of that
 * change, unless the node is pinned already, or a key of it was revoked and it has other active names: then a reviewer
 * pins it.
 */
export async function pinActivated(
  tx: Db,
  context: ServiceContext,
  before: RegistrationRow,
  after: RegistrationRow,
  now: number,
): Promise<NodeKeyRow | undefined> {
  if (after.status !== 'active' || before.status === 'active' || after.proofKey === null) return;
  const { nodeId, proofKey: key } = after;
  // The lock was taken before the registration was changed.
  if (await needsReviewer(tx, nodeId, after.id)) return;
  return pinInTransaction(tx, context, { nodeId, key, source: 'registration' }, now);
}

/**
 * Pins a node whose names were activated before they were proved, once this key has proved all of them: otherwise the
 * holder of one name could lock out those of the others. Where a key of the node was revoked, a reviewer pins it.
 * @throws AppError `unavailable`
 */
export async function pinIfAllProved(
  context: ServiceContext,
  { nodeId, proofKey: key }: Proved,
  now: number,
): Promise<void> {
  if (key === null || pinOf(context, nodeId)) return;
  const pin = await inTransaction(context.db, async (tx) => {
    await lockNode(tx, nodeId);
    if (await hasRevokedKey(tx, nodeId)) return undefined;
    const active = await tx
      .select({ key: registrations.proofKey })
      .from(registrations)
      .where(and(eq(registrations.nodeId, nodeId), eq(registrations.status, 'active')));
    return active.length > 0 && active.every((other) => other.key === key)
      ? pinInTransaction(tx, context, { nodeId, key, source: 'registration' }, now)
      : undefined;
  });
  if (pin) context.live.nodeKeys.apply([pin]);
}

/** Names that a notice lists. */
const NAMES_MAX = 5;

interface NoticesContext extends Pick<ServiceContext, 'live' | 'clock'> {
  reviewIndex: Pick<ReviewIndex, 'ofNode'>;
}

/** What a registration says of its node, to its operator and to reviewers. From memory. */
export const nodeProofOf = (context: NoticesContext, row: RegistrationRow) => ({
  /** The node’s key has proved it. */
  nodeProved: isNodeProved(context, row),
  /** Why the node may be somebody else’s, a sentence each. Empty once it is decided. */
  notices: noticesOf(context, row),
});

function noticesOf(context: NoticesContext, row: RegistrationRow): string[] {
  if (row.status !== 'pending_payment' && row.status !== 'pending_review') return [];
  const pin = pinOf(context, row.nodeId);
  const others = context.reviewIndex.ofNode(row.nodeId).filter(({ id }) => id !== row.id);
  const notices: string[] = [];
  // Those that the same key has proved are of the same operator.
  const names = others
    .filter(({ status, proofKey }) => status === 'active' && !sameKey(row, proofKey))
    .map(({ name }) => name)
    .sort();
  if (names.length > 0) notices.push(alreadyNamed(names));
  if (pin && pin.key !== row.proofKey)
    notices.push(
      row.proofKey === null
        ? 'The node is pinned to a key, and that key has not proved this registration.'
        : 'The node is pinned to another key than the one that has proved this registration.',
    );
  const similar = context.live.nodes.similarTo(row.nodeId);
  if (similar.length > 0) notices.push(similarNodes(similar));
  const now = context.clock();
  const rival = others.some(
    (other) =>
      (other.status === 'pending_payment' || other.status === 'pending_review') &&
      !isExpired(other, now) &&
      isNodeProved(context, other) &&
      !sameKey(row, other.proofKey),
  );
  if (rival && !pin)
    notices.push(
      row.proofKey === null
        ? 'Another open registration for the node is proved by a key, and this one is not.'
        : 'Another open registration for the node is proved by another key.',
    );
  return notices;
}

const sameKey = ({ proofKey }: RegistrationRow, other: string | null): boolean =>
  proofKey !== null && proofKey === other;

const alreadyNamed = (names: string[]): string =>
  `The node already has the active ${names.length === 1 ? 'name' : 'names'} ${listed(names)}.`;

const similarNodes = (ids: string[]): string =>
  `${ids.length === 1 ? 'Another node has an ID' : 'Other nodes have IDs'} that ${ids.length === 1 ? 'differs' : 'differ'} only in upper and lower case: ${listed(ids)}.`;

function listed(names: string[]): string {
  const more = names.length - NAMES_MAX;
  const list = names
    .slice(0, NAMES_MAX)
    .map((name) => `“${name}”`)
    .join(', ');
  return more > 0 ? `${list} and ${more} more` : list;
}
