import { z } from 'zod';
import { ENVELOPE_SIGNATURES_MAX } from '../keys/dsse.schema.ts';
import { Digest, NetworkName, Time } from '../truth/truth.schema.ts';

/**
 * The public log of a network is a chain of blocks. A block is its header, signed, and its body; the header names the
 * block before by its id and the body by its digest, so a signature of one block is one of all blocks before.
 */

export const BLOCK_TYPE = 'application/vnd.mesh-registry.block+json';

/** What the first block names as the block before it. */
export const NO_BLOCK = '0'.repeat(64);

export const BODY_BYTES_MAX = 262_144;
/** Of the envelope as JSON. */
export const ENVELOPE_BYTES_MAX = 8192;
export const FRAME_BYTES_MAX = 4 + ENVELOPE_BYTES_MAX + BODY_BYTES_MAX;

/** As many signatures as the envelope of a block can have. */
export const BLOCK_SIGNATURES_MAX = ENVELOPE_SIGNATURES_MAX;

/** How many blocks, and how many bytes of frames, are sent and appended at once. */
export const BATCH_BLOCKS_MAX = 1024;
export const BATCH_BYTES_MAX = 4 * 1024 * 1024;

export const BlockHeader = z.strictObject({
  network: NetworkName,
  /** Counts up from 1. */
  height: z.int('must be a whole number').min(1, 'must be at least 1'),
  /** The id of the block before; of the first one 64 zeros. */
  prev: Digest,
  /** When it was made: never before the block before. */
  time: Time,
  /** What the body is. */
  kind: z.string('must be a string').regex(/^[a-z0-9.-]{1,32}$/, 'must be 1 to 32 of a-z 0-9 . -'),
  bodyHash: Digest,
  bodyLength: z
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(BODY_BYTES_MAX, `must be at most ${BODY_BYTES_MAX}`),
});
export type BlockHeader = z.infer<typeof BlockHeader>;
