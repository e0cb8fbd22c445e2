import { BlockError, decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import type { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import { isSigned } from '@mesh-registry/protocol/log/block-signatures.ts';
import { headOf, NO_HEAD, requireNext, type Head } from '@mesh-registry/protocol/log/chain.ts';
import { DamagedLogError } from '@mesh-registry/protocol/log/segment.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { fail, ok, warn, type Check } from '../terminal/check.ts';

const NEWER =
  'Save what GET /api/truth of the service answers, and name that as well: --trust FILE.';

/**
 * Checks a log from its first block on, each with its own signature.
 * @param now milliseconds since 1970
 * @returns the last block that follows all before it, and how many have a signature of their own that counts
 */
export function verifyLog(reader: BlockReader, trust: Trust, now: number) {
  let head: Head = NO_HEAD;
  let first: string | null = null;
  let signed = 0;
  let answered = 0;
  let fault: string | null = null;
  try {
    while (head.height < reader.head.height) {
      for (const frame of reader.uncheckedFrames(
        head.height + 1,
        BATCH_BLOCKS_MAX,
        BATCH_BYTES_MAX,
      )) {
        const block = decodeBlock(frame);
        requireNext(block, head, { trust, now });
        const { height, time } = block.header;
        if (reader.idAt(height) !== block.id)
          throw new DamagedLogError(`The index has another block ${height}.`);
        first ??= time;
        head = headOf(block);
        if (!isSigned(block, trust)) continue;
        signed++;
        answered = height;
      }
    }
  } catch (error) {
    if (!(error instanceof BlockError) && !(error instanceof DamagedLogError)) throw error;
    fault = error.message;
  }
  return {
    head,
    signed,
    checks: [
      blocksCheck(head, first, fault),
      ...(head.height > 0 ? [signaturesCheck(head.height, signed, answered)] : []),
      checkpointCheck(reader, head, trust),
      ...(trust.truth && trust.stale
        ? [warn('Truth', 'the root or the truth used for this check has expired', NEWER)]
        : []),
    ],
  };
}

function blocksCheck({ height, time }: Head, first: string | null, fault: string | null): Check {
  if (fault !== null)
    return fail(
      'Blocks',
      fault,
      height === 0 ? null : `Up to block ${height} each follows the one before.`,
    );
  if (height === 0) return ok('Blocks', 'none yet');
  return ok(
    'Blocks',
    height === 1
      ? `1, of ${time}`
      : `${count(height)}, ${first} to ${time}, each follows the one before`,
  );
}

/** @param answered the last block with a signature, which is one of all before it */
function signaturesCheck(height: number, signed: number, answered: number): Check {
  if (answered < height)
    return fail(
      'Signatures',
      answered === 0
        ? "no block is signed by the network's block keys"
        : `block ${answered} is the last that the network's block keys have signed`,
    );
  if (signed < height)
    return warn(
      'Signatures',
      `${count(height - signed)} of ${count(height)} blocks have an invalid signature`,
      'Later blocks vouch for them, so the history is right: they were changed on the way here.',
    );
  return ok('Signatures', `each block is signed by the network's block keys`);
}

function checkpointCheck(reader: BlockReader, head: Head, { truth }: Trust): Check {
  if (!truth)
    return warn(
      'Checkpoint',
      'without a truth there is no checkpoint to compare the log with',
      NEWER,
    );
  const { height, id } = truth.log;
  if (height === 0) return ok('Checkpoint', `truth ${truth.version} doesn't pin a block yet`);
  if (height > head.height)
    return warn(
      'Checkpoint',
      `truth ${truth.version} names block ${height}, which hasn't arrived yet`,
      'This log is behind, or the rest is being withheld.',
    );
  return reader.idAt(height) === id
    ? ok('Checkpoint', `block ${height} is the one that truth ${truth.version} names`)
    : fail('Checkpoint', `block ${height} isn't the one named in truth ${truth.version}`);
}

const count = (number: number): string => number.toLocaleString('en');
