import { hash, type KeyObject } from 'node:crypto';
import { DsseEnvelope } from '../keys/dsse.schema.ts';
import { signersAmong, signEnvelope } from '../keys/dsse.ts';
import { parseJsonAs } from '../rest/issues.schema.ts';
import {
  BLOCK_TYPE,
  BlockHeader,
  BODY_BYTES_MAX,
  ENVELOPE_BYTES_MAX,
  FRAME_BYTES_MAX,
} from './block.schema.ts';

/** Why a block does not continue a log. */
export type BlockFault =
  /** Not a frame of this form. */
  | 'malformed'
  /** Of another network. */
  | 'network'
  /** Not the next one. */
  | 'height'
  /** Names another block before it than the one that is there, and is not signed. */
  | 'link'
  /** Before the block before, or in the future. */
  | 'time'
  /** The body is not the one that the header names. */
  | 'body'
  /** Fewer of the block keys have signed than have to. */
  | 'signature'
  /** Not the block that the network's truth names at this height. */
  | 'checkpoint'
  /** Signed, by itself or with a later block, but of another history than this log: somebody has signed two. */
  | 'fork';

/**
 * What the signatures of a block are worth: those of the network's block keys; of keys that an earlier root named, which
 * an honest peer may have taken; nothing.
 */
export type Standing = 'valid' | 'retired' | 'none';

/** A block that does not continue a log. */
export class BlockError extends Error {
  override readonly name = 'BlockError';
  /**
   * @param block the block, as far as it could be read; where its signatures were looked for, the last one of its batch
   * if that is signed, by keys that count or that counted once: it commits to the block, and is the proof of a fork
   * @param standing of that block, as far as its signatures mattered
   */
  constructor(
    readonly reason: BlockFault,
    message: string,
    readonly block: Block | null = null,
    readonly standing: Standing = 'none',
  ) {
    super(message);
  }
}

export interface Block {
  header: BlockHeader;
  /** SHA-256 of the header's bytes, in hex. */
  id: string;
  envelope: DsseEnvelope;
  body: Buffer;
  /** All of it as bytes: the length of the envelope (4 bytes, big endian), the envelope as JSON, the body. */
  frame: Buffer;
}

/**
 * Makes a block and signs it.
 * @param keys private ones; each adds a signature
 * @returns its frame
 * @throws RangeError if the body is too large
 */
export function createBlock(
  {
    body,
    ...fields
  }: Pick<BlockHeader, 'network' | 'height' | 'prev' | 'time' | 'kind'> & { body: Uint8Array },
  ...keys: KeyObject[]
): Buffer {
  if (body.byteLength > BODY_BYTES_MAX)
    throw new RangeError(`The body of a block has at most ${BODY_BYTES_MAX} bytes.`);
  const header: BlockHeader = {
    ...fields,
    bodyHash: hash('sha256', body),
    bodyLength: body.byteLength,
  };
  const envelope = Buffer.from(
    JSON.stringify(signEnvelope(BLOCK_TYPE, JSON.stringify(header), ...keys)),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32BE(envelope.length);
  return Buffer.concat([length, envelope, body]);
}

const malformed = (message: string) => new BlockError('malformed', message);

/** The parts of a frame, with their form checked. @throws BlockError */
function openFrame(bytes: Uint8Array) {
  const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (frame.length < 4 || frame.length > FRAME_BYTES_MAX)
    throw malformed(`A block has 4 to ${FRAME_BYTES_MAX} bytes.`);
  const length = frame.readUInt32BE(0);
  if (length > ENVELOPE_BYTES_MAX || 4 + length > frame.length)
    throw malformed(`The envelope of a block cannot have ${length} bytes.`);
  const text = frame.toString('utf8', 4, 4 + length);
  const envelope = parseJsonAs(DsseEnvelope, text, 'The envelope of a block', malformed);
  if (envelope.payloadType !== BLOCK_TYPE)
    throw malformed(`The payloadType of a block must be ${BLOCK_TYPE}.`);
  const payload = Buffer.from(envelope.payload, 'base64');
  return {
    payload,
    id: hash('sha256', payload),
    envelope,
    body: frame.subarray(4 + length),
    frame,
  };
}

/**
 * Reads a frame. Only its form: neither its body nor its signatures are checked. The bytes are not copied.
 * @throws BlockError
 */
export function decodeBlock(bytes: Uint8Array): Block {
  const { payload, ...parts } = openFrame(bytes);
  const header = parseJsonAs(BlockHeader, payload.toString(), 'The header of a block', malformed);
  return { header, ...parts };
}

/**
 * Whether a frame that was checked once is still the block with an id, which vouches for its header, and so for its body.
 * Takes some 6 µs for a small block.
 * @param isSigned whether a signature has to be one, too, of whatever key; else only their form is looked at
 */
export function isIntact(bytes: Uint8Array, id: string, isSigned: boolean): boolean {
  try {
    const frame = openFrame(bytes);
    if (frame.id !== id) return false;
    const { bodyHash } = JSON.parse(frame.payload.toString()) as BlockHeader;
    if (bodyHash !== hash('sha256', frame.body)) return false;
    const keys = isSigned ? frame.envelope.signatures.map(({ keyid }) => keyid) : [];
    return !isSigned || signersAmong(frame.envelope, BLOCK_TYPE, keys).size > 0;
  } catch (error) {
    if (error instanceof BlockError) return false;
    throw error;
  }
}

/** Whether the body is the one that the header names. */
export const hasOwnBody = ({ header, body }: Block): boolean =>
  header.bodyLength === body.length && header.bodyHash === hash('sha256', body);
