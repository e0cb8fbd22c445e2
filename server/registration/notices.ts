import type { RegistrationRow } from '#db/schema/index.ts';
import { isExpired } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { pinOf } from '#server/identity/index.ts';
import type { ReviewIndex } from './review-index.ts';
import { isNodeProved } from './proof.ts';

/** Names that a notice lists. */
const NAMES_MAX = 5;

export interface NoticesContext extends Pick<ServiceContext, 'live' | 'clock'> {
  reviewIndex: Pick<ReviewIndex, 'ofNode'>;
}

/** What a registration says of its node, to its operator and to reviewers. */
export interface NodeProof {
  /** The node’s key has proved it. */
  nodeProved: boolean;
  /** Why the node may be somebody else’s, a sentence each. Empty once it is decided. */
  notices: string[];
}

/** From memory. */
export function nodeProofOf(context: NoticesContext, row: RegistrationRow): NodeProof {
  return { nodeProved: isNodeProved(context, row), notices: noticesOf(context, row) };
}

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

function alreadyNamed(names: string[]): string {
  const more = names.length - NAMES_MAX;
  const list = names
    .slice(0, NAMES_MAX)
    .map((name) => `“${name}”`)
    .join(', ');
  return `The node already has the active ${names.length === 1 ? 'name' : 'names'} ${list}${more > 0 ? ` and ${more} more` : ''}.`;
}
