import { isExpired, type RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { lastSignerOf, otherSignerOf, pinOf } from '#server/identity/index.ts';
import type { SimilarIds } from '#server/live/index.ts';
import { looksLikeGenesis } from '#server/names/index.ts';
import { isNodeProved } from './proof.ts';
import type { ReviewIndex } from './review-index.ts';

/** What a registration says of its node, to its operator and to reviewers. */

export interface Notice {
  /** Why the node may be somebody else’s, as a sentence. */
  text: string;
  /** A reviewer accepts the registration only by saying so: keys speak against it. */
  asks: boolean;
}

interface NoticesContext extends Pick<ServiceContext, 'live' | 'clock'> {
  reviewIndex: Pick<ReviewIndex, 'ofNode'>;
}

/** From memory. */
export function nodeProofOf(context: NoticesContext, row: RegistrationRow) {
  const notices = noticesOf(context, row);
  return {
    /** The node’s own key has proved it. */
    nodeProved: isNodeProved(context, row),
    /** Why the node may be somebody else’s, a sentence each. Empty once it is decided. */
    notices: notices.map(({ text }) => text),
  };
}

/** Those of its notices despite which a reviewer has to accept it in so many words. From memory. */
export const noticesThatAsk = (context: NoticesContext, row: RegistrationRow): string[] =>
  noticesOf(context, row).flatMap(({ text, asks }) => (asks ? text : []));

function noticesOf(context: NoticesContext, row: RegistrationRow): Notice[] {
  if (row.status !== 'pending_payment' && row.status !== 'pending_review') return [];
  const others = context.reviewIndex.ofNode(row.nodeId).filter(({ id }) => id !== row.id);
  // Those that the same key has proved are of the same operator.
  const names = others
    .filter(({ status, proofKey }) => status === 'active' && !sameKey(row, proofKey))
    .map(({ name }) => name)
    .sort();
  const against = [
    pinOf(context, row.nodeId) ? pinNotice(context, row) : signerNotice(context, row),
    rivalNotice(context, row, others),
  ].filter((text) => text !== null);
  const similar = context.live.nodes.similarTo(row.nodeId);
  return [
    ...(names.length > 0 ? [{ text: alreadyNamed(names), asks: false }] : []),
    ...against.map((text) => ({ text, asks: true })),
    ...(similar.count > 0 ? [{ text: similarNodes(similar), asks: false }] : []),
    ...(looksLikeGenesis(row.nodeId) ? [{ text: LIKE_GENESIS, asks: false }] : []),
  ];
}

/** The node is pinned to another key. */
function pinNotice(context: NoticesContext, { nodeId, proofKey }: RegistrationRow): string | null {
  const pin = pinOf(context, nodeId);
  if (!pin || pin.key === proofKey) return null;
  return proofKey === null
    ? 'The node is pinned to a key, and that key has not proved this registration.'
    : 'The node is pinned to another key than the one that has proved this registration.';
}

/** The node is pinned to none, and what is heard of it speaks against whoever has made the registration. */
function signerNotice(context: NoticesContext, row: RegistrationRow): string | null {
  const { nodeId, proofKey } = row;
  const last = lastSignerOf(context, nodeId);
  if (!last)
    return proofKey === null
      ? null
      : 'This node has never sent a heartbeat, so nothing shows that the key that proved this registration is its own.';
  const sent = context.live.peers.get(nodeId) ? 'heartbeats' : 'announcements';
  const seen = `first seen ${minuteOf(last.since)}, last seen ${minuteOf(last.at)}`;
  const isYoung = context.clock() - last.since < YOUNG_MS;
  if (proofKey === null) {
    if (last.key !== null)
      return `The ${sent} of this node are signed by a key (${shortKey(last.key)}, ${seen}), and that key has not proved this registration.`;
    // Anybody can put an unsigned one after those of the node.
    return last.before && isYoung
      ? `The ${sent} of this node were signed by a key (${shortKey(last.before)}) until ${minuteOf(last.since)}, and that key has not proved this registration.`
      : null;
  }
  if (last.key === null)
    return `The ${sent} of this node are sent unsigned (${seen}), not signed by the key that proved this registration.`;
  if (last.key !== proofKey)
    return `The ${sent} of this node are signed by another key (${shortKey(last.key)}, ${seen}) than the one that proved this registration (${shortKey(proofKey)}).`;
  const other = otherSignerOf(context, nodeId);
  if (other && other.key !== proofKey)
    return `The key that proved this registration signs the heartbeats of this node, but its announcements are ${other.key === null ? 'unsigned' : `signed by another key (${shortKey(other.key)})`} (last seen ${minuteOf(other.at)}).`;
  if (last.before !== undefined && isYoung)
    return `The key that proved this registration signs the ${sent} of this node only since ${minuteOf(last.since)} (last seen ${minuteOf(last.at)}). Before that, what it sent was ${last.before === null ? 'unsigned' : `signed by another key (${shortKey(last.before)})`}.`;
  return isNodeProved(context, row)
    ? null
    : `The key that proved this registration has signed the ${sent} of this node (${seen}), but none has come for five minutes.`;
}

/** How long a key that has followed others is told of, milliseconds: their owner may be off meanwhile. */
const YOUNG_MS = 86_400_000;

/** No key has proved the registration, and the node’s own has proved another open one. */
function rivalNotice(
  context: NoticesContext,
  { proofKey }: RegistrationRow,
  others: RegistrationRow[],
): string | null {
  const now = context.clock();
  return proofKey === null &&
    others.some(
      (other) =>
        other.status !== 'active' && !isExpired(other, now) && isNodeProved(context, other),
    )
    ? 'Another open registration for the node is proved by its key, and this one is not.'
    : null;
}

/** To the minute, so that a sentence doesn’t change with every heartbeat. */
const minuteOf = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Nobody finds another key that begins with the same 72 bits. */
const shortKey = (key: string): string => `${key.slice(0, 12)}…`;

const sameKey = ({ proofKey }: RegistrationRow, other: string | null): boolean =>
  proofKey !== null && proofKey === other;

/** Names that a notice lists. */
const NAMES_MAX = 5;

const alreadyNamed = (names: string[]): string =>
  `The node already has the active ${names.length === 1 ? 'name' : 'names'} ${listed(names)}.`;

const LIKE_GENESIS = 'The node’s ID looks like that of Genesis, the bootstrap peer.';

const similarNodes = ({ ids, count }: SimilarIds) =>
  `${count === 1 ? 'Another node has an ID' : 'Other nodes have IDs'} that ${count === 1 ? 'differs' : 'differ'} only in upper and lower case: ${listed(ids, count)}.`;

/** @param count how many there are, of which `names` are the first */
function listed(names: string[], count = names.length): string {
  const shown = names.slice(0, NAMES_MAX);
  const list = shown.map((name) => `“${name}”`).join(', ');
  return count > shown.length ? `${list} and ${count - shown.length} more` : list;
}
