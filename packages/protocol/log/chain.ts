import { setImmediate } from 'node:timers/promises';
import { CLOCK_SKEW_MS } from '../keys/node-key.schema.ts';
import type { Trust } from '../truth/trust.ts';
import { BlockError, decodeBlock, hasOwnBody, type Block, type BlockFault } from './block.ts';
import { NO_BLOCK } from './block.schema.ts';
import { checksOfBatch, standingOf, type Checks } from './block-signatures.ts';

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

/** How many blocks and bytes are read before the event loop has its turn: one or two milliseconds of work. */
const SLICE_BLOCKS = 16;
const SLICE_BYTES = 256 * 1024;

/** Gives the event loop its turn again and again, while a batch is read. */
class Slices {
  #blocks = 0;
  #bytes = 0;

  /** @param bytes that are read next */
  async make(bytes: number): Promise<void> {
    if (this.#blocks === SLICE_BLOCKS || (this.#blocks > 0 && this.#bytes + bytes > SLICE_BYTES)) {
      await setImmediate();
      this.#blocks = 0;
      this.#bytes = 0;
    }
    this.#blocks++;
    this.#bytes += bytes;
  }
}

/**
 * Which of the frames of a batch, in their order, continue a log: links and bodies of all, and the signatures of the last
 * one, which commits to all before it. The signatures of the others are not looked at, so nobody can make a batch dear.
 * Where the last one's count for nothing, the block that the truth names may still be signed. Blocks that the log has
 * already are passed over.
 * @param place must not change meanwhile, apart from its trust
 */
export async function continuing(
  frames: readonly Uint8Array[],
  place: Place,
): Promise<{ good: GoodBlock[]; bad: BlockError | null }> {
  const slices = new Slices();
  const checks = checksOfBatch();
  const { blocks, bad, rest } = await collect(frames, place, slices);
  // The blocks before it may be of the same other history. A peer that has the right ones will send those too.
  if (bad?.reason === 'checkpoint')
    return { good: [], bad: await judged(bad, rest, place.trust, slices, checks) };
  const { count, unsigned } = answeredFor(blocks, place.trust, checks);
  const good = blocks.slice(0, count).map((block, i) => ({ block, signed: i === count - 1 }));
  return { good, bad: unsigned ?? (bad && (await judged(bad, rest, place.trust, slices, checks))) };
}

/** The blocks that continue the log apart from their signatures, what is wrong with the next one, and what follows it. */
async function collect(frames: readonly Uint8Array[], place: Place, slices: Slices) {
  const blocks: Block[] = [];
  let { head } = place;
  for (const [i, frame] of frames.entries()) {
    await slices.make(frame.byteLength);
    try {
      const block = decodeBlock(frame);
      if (blocks.length === 0 && isKnown(block, place)) continue;
      requireNext(block, head, place);
      blocks.push(block);
      head = headOf(block);
    } catch (error) {
      if (error instanceof BlockError) return { blocks, bad: error, rest: frames.slice(i + 1) };
      throw error;
    }
  }
  return { blocks, bad: null, rest: [] };
}

/** How many of some blocks, which follow one another, are signed by the last of these. */
function answeredFor(blocks: readonly Block[], trust: Trust, checks: Checks) {
  const last = blocks.at(-1);
  if (!last) return { count: 0, unsigned: null };
  const standing = standingOf(last, trust, checks);
  if (standing === 'valid') return { count: blocks.length, unsigned: null };
  const named = blocks.findIndex(({ header }) => header.height === trust.truth?.log.height);
  const checkpoint = blocks[named];
  const count = checkpoint && standingOf(checkpoint, trust, checks) === 'valid' ? named + 1 : 0;
  const first = blocks[count] ?? last;
  const { message } = unsignedError(first);
  const unsigned = new BlockError(
    'signature',
    message,
    standing === 'retired' ? last : first,
    standing,
  );
  return { count, unsigned };
}

/**
 * What is wrong with a block of another history: the last one of its batch may be signed, which commits to it. Then the
 * error has that one.
 */
async function judged(
  bad: BlockError,
  rest: readonly Uint8Array[],
  trust: Trust,
  slices: Slices,
  checks: Checks,
): Promise<BlockError> {
  const { block, reason, message } = bad;
  if (!block || (reason !== 'link' && reason !== 'signature' && reason !== 'checkpoint'))
    return bad;
  const proof = await lastAfter(block, rest, slices);
  const standing = standingOf(proof, trust, checks);
  if (standing === 'none') return bad;
  const { height } = block.header;
  if (standing === 'retired' || reason === 'checkpoint')
    return new BlockError(reason, message, proof, standing);
  return reason === 'link' ? otherBefore(height, proof) : otherAt(height, proof);
}

/** The last of the blocks that follow a block, one after the other; itself, if none does. */
async function lastAfter(
  block: Block,
  rest: readonly Uint8Array[],
  slices: Slices,
): Promise<Block> {
  let last = block;
  for (const frame of rest) {
    await slices.make(frame.byteLength);
    const next = decodeIfBlock(frame);
    const { network, height, prev } = next?.header ?? {};
    const { header, id } = last;
    if (!next || network !== header.network || height !== header.height + 1 || prev !== id) break;
    last = next;
  }
  return last;
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
  throw unsignedError(block);
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
  if (prev !== head.id) refuse('link', `Block ${height} continues another block ${head.height}.`);
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
  new BlockError('fork', `There are two signed blocks at height ${height}.`, proof, 'valid');

/** @param proof the block, or a later one that commits to it */
const otherBefore = (height: number, proof: Block) =>
  new BlockError(
    'fork',
    `Block ${height} is signed, but continues another block ${height - 1}.`,
    proof,
    'valid',
  );

const unsignedError = (block: Block) =>
  new BlockError(
    'signature',
    `Block ${block.header.height} is not signed by the network's block keys.`,
    block,
  );
