import { CLOCK_SKEW_MS } from '../keys/node-key.schema.ts';
import { signersAmong } from '../keys/dsse.ts';
import type { Trust } from '../truth/trust.ts';
import { readRoot } from '../truth/documents.ts';
import type { Role } from '../truth/truth.schema.ts';
import { BlockError, decodeBlock, hasOwnBody, type Block, type BlockFault } from './block.ts';
import { BLOCK_TYPE, NO_BLOCK } from './block.schema.ts';

/** Where a log ends. */
export interface Head {
  /** 0: no block yet. */
  height: number;
  id: string;
  /** Of its last block, ISO 8601; null: no block yet. */
  time: string | null;
}

export const NO_HEAD: Head = { height: 0, id: NO_BLOCK, time: null };

export const headOf = ({ header, id }: Block): Head => ({
  height: header.height,
  id,
  time: header.time,
});

/** A block that continues the log. */
export interface GoodBlock {
  block: Block;
  /** Its own signature was checked, not only that of a later block, which commits to it. */
  signed: boolean;
}

/** The log that blocks have to continue. */
interface Place {
  head: Head;
  /** The id of a block of the log, null if it has none at this height. */
  idAt: (height: number) => string | null;
  trust: Trust;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Which of some frames, in their order, continue a log: links and bodies of all, and the signature of the last, which
 * commits to all before it. Where the last is not signed, of the one before, and so on. Blocks that the log has already
 * are passed over.
 */
export function continuing(
  frames: readonly Uint8Array[],
  place: Place,
): { good: GoodBlock[]; bad: BlockError | null } {
  const blocks: Block[] = [];
  let bad = collect(frames, place, blocks);
  // The blocks before it may be of the same other history. A peer that has the right ones will send those too.
  if (bad?.reason === 'checkpoint') return { good: [], bad };
  const last = blocks.findLastIndex((block) => isSigned(block, place.trust));
  const [unsigned] = blocks.slice(last + 1);
  if (unsigned) bad = unsignedError(unsigned, retiredAnswer(blocks, place.trust) ?? unsigned);
  const good = blocks.slice(0, last + 1).map((block, i) => ({ block, signed: i === last }));
  return { good, bad };
}

/** Adds the blocks that continue the log apart from their signatures. @returns what is wrong with the next one */
function collect(frames: readonly Uint8Array[], place: Place, blocks: Block[]): BlockError | null {
  let { head } = place;
  for (const [i, frame] of frames.entries()) {
    try {
      const block = decodeBlock(frame);
      if (blocks.length === 0 && isKnown(block, place)) continue;
      requireNext(block, head, place);
      blocks.push(block);
      head = headOf(block);
    } catch (error) {
      if (error instanceof BlockError) return judged(error, frames.slice(i + 1), place.trust);
      throw error;
    }
  }
  return null;
}

/**
 * What is wrong with a block of another history: a later one of its batch may be signed, which commits to it. Then the
 * error has that one.
 */
function judged(bad: BlockError, later: readonly Uint8Array[], trust: Trust): BlockError {
  const { block, reason, message } = bad;
  if (!block || (reason !== 'link' && reason !== 'signature' && reason !== 'checkpoint'))
    return bad;
  const batch = [block, ...following(block, later)];
  const proof = batch.find((one) => isSigned(one, trust));
  if (!proof) return new BlockError(reason, message, retiredAnswer(batch, trust) ?? block);
  if (reason === 'checkpoint') return new BlockError(reason, message, proof);
  const { height } = block.header;
  return reason === 'link' ? otherBefore(height, proof) : otherAt(height, proof);
}

/** The blocks that follow a block, one after the other. */
function* following({ header, id }: Block, later: readonly Uint8Array[]): Generator<Block> {
  let { height } = header;
  let prev = id;
  for (const frame of later) {
    const block = decodeIfBlock(frame);
    if (block?.header.network !== header.network) return;
    if (block.header.height !== height + 1 || block.header.prev !== prev) return;
    yield block;
    height++;
    prev = block.id;
  }
}

/**
 * The last of some blocks that follow one another, if keys of an earlier root have signed it: whoever has not heard of
 * the newest root sends such a batch. Only the last is looked at, because there a batch has its signature.
 */
function retiredAnswer(blocks: readonly Block[], trust: Trust): Block | null {
  const last = blocks.at(-1);
  return last && wasSigned(last, trust) ? last : null;
}

function decodeIfBlock(frame: Uint8Array): Block | null {
  try {
    return decodeBlock(frame);
  } catch (error) {
    if (error instanceof BlockError) return null;
    throw error;
  }
}

/** Whether the log has the block already. @throws BlockError if it has another one at this height */
function isKnown(block: Block, { head, idAt, trust }: Place): boolean {
  const { network, height } = block.header;
  if (height > head.height || network !== trust.network) return false;
  if (idAt(height) === block.id) return true;
  throw isSigned(block, trust) ? otherAt(height, block) : unsignedError(block);
}

/** Everything but the signature. @param head of the block before @throws BlockError */
export function requireNext(
  block: Block,
  head: Head,
  { trust, now }: Pick<Place, 'trust' | 'now'>,
): void {
  const { network, height, prev, time } = block.header;
  const refuse = (reason: BlockFault, message: string): never => {
    throw new BlockError(reason, message, block);
  };
  if (network !== trust.network) refuse('network', `Block ${height} is of the network ${network}.`);
  if (height !== head.height + 1)
    refuse('height', `After block ${head.height} comes ${head.height + 1}, not ${height}.`);
  if (prev !== head.id) {
    if (isSigned(block, trust)) throw otherBefore(height, block);
    refuse('link', `Block ${height} continues another block ${head.height}.`);
  }
  const checkpoint = trust.truth?.log;
  if (checkpoint?.height === height && checkpoint.id !== block.id)
    refuse('checkpoint', `Block ${height} is not the one that the network's truth names.`);
  if (!hasOwnBody(block)) refuse('body', `The body of block ${height} is another one.`);
  const at = Date.parse(time);
  if (head.time !== null && at < Date.parse(head.time))
    refuse('time', `Block ${height} is from before the block before it.`);
  if (at > now + CLOCK_SKEW_MS) refuse('time', `Block ${height} is from the future.`);
}

/** @param proof the block, or a later one that commits to it */
const otherAt = (height: number, proof: Block) =>
  new BlockError('fork', `There are two signed blocks at height ${height}.`, proof);

/** @param proof the block, or a later one that commits to it */
const otherBefore = (height: number, proof: Block) =>
  new BlockError(
    'fork',
    `Block ${height} is signed, but continues another block ${height - 1}.`,
    proof,
  );

/** @param answer the block, or a later one that commits to it and is signed by keys that count no more */
const unsignedError = (block: Block, answer = block) =>
  new BlockError(
    'signature',
    `Block ${block.header.height} is not signed by the network's block keys.`,
    answer,
  );

/**
 * Whether enough block keys have signed it: those of the newest root; up to the block that the truth names also those of
 * one earlier root, because what they signed must stay valid when the keys change.
 */
export function isSigned(block: Block, trust: Trust): boolean {
  const by = isSignedBy(block);
  if (by(trust.root.roles.block)) return true;
  if (block.header.height > (trust.truth?.log.height ?? 0)) return false;
  return earlierRoles(trust).some(by);
}

/** Whether enough block keys of an earlier root have signed it: it counts no more, but an honest peer may have taken it. */
export const wasSigned = (block: Block, trust: Trust): boolean =>
  earlierRoles(trust).some(isSignedBy(block));

function isSignedBy({ envelope }: Block): (role: Role) => boolean {
  // One signature of each key: checking many that are none would take long.
  const keyids = envelope.signatures.map(({ keyid }) => keyid);
  const signatures = envelope.signatures.filter(({ keyid }, i) => keyids.indexOf(keyid) === i);
  return ({ keys, threshold }) =>
    signersAmong({ ...envelope, signatures }, BLOCK_TYPE, keys).size >= threshold;
}

const earlier = new WeakMap<Trust, { version: number; roles: Role[] }>();

/** The block roles of the roots before the newest one, as far as they differ from it. */
function earlierRoles(trust: Trust): Role[] {
  const { version, roles } = trust.root;
  const known = earlier.get(trust);
  if (known?.version === version) return known.roles;
  const found = new Map<string, Role>();
  for (const document of trust.state.roots) {
    const { block } = readRoot(document).roles;
    found.set(JSON.stringify(block), block);
  }
  found.delete(JSON.stringify(roles.block));
  earlier.set(trust, { version, roles: [...found.values()] });
  return [...found.values()];
}
