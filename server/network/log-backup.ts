import { existsSync } from 'node:fs';
import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import { decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import type { Head } from '@mesh-registry/protocol/log/chain.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { BackupError, type LogEnd } from '#db/backup/index.ts';
import { lockDirectory } from '#db/connection/lock.ts';
import { decodeFrames } from './log-head.ts';
import { makeReadable } from './log.ts';

/** The log in backups of the database. */

/**
 * The blocks of a log for a backup, up to where it ended at the moment of the database. A writer may be adding to it
 * meanwhile; what was recorded and is not on disk yet comes from the database.
 * @throws DamagedLogError; BackupError if it is another log than that of the database
 */
export function* blocksForBackup(directory: string, end: LogEnd): Generator<Buffer> {
  const reader = existsSync(directory) ? BlockReader.open(directory) : null;
  let next = 1;
  if (reader) {
    const last = Math.min(reader.head.height, end.height);
    if (last === end.height && reader.idAt(last) !== end.id)
      throw new BackupError(
        `Block ${last} of the log in ${directory} is not the one that the registry wrote. Put the right log there, or unset REGISTRY_LOG_DIR to back up the database alone.`,
      );
    for (let frames; next <= last; next += frames.length) {
      frames = reader.frames(next, Math.min(BATCH_BLOCKS_MAX, last - next + 1), BATCH_BYTES_MAX);
      yield* frames;
    }
  }
  for (const frame of decodeFrames(end.frames))
    if (decodeBlock(frame).header.height === next) {
      yield frame;
      next++;
    }
}

/**
 * Adds the blocks of a backup to the log in a directory, which may have some of them, or later ones.
 * @returns where the log ends then
 * @throws BackupError if the directory has another log; DamagedLogError; what the file system throws
 */
export async function restoreBlocks(
  { directory, trust }: { directory: string; trust: Trust },
  blocks: AsyncIterable<Buffer>,
): Promise<Head> {
  makeReadable(directory);
  const lock = await lockDirectory(directory, { waitMs: 0 });
  const log = BlockLog.open(directory, { trust, onDamage: 'refuse' });
  const append = async (frames: readonly Buffer[]) => {
    const { bad } = await log.append(frames);
    if (bad)
      throw new BackupError(
        `The log of the backup doesn’t fit to the one in ${directory}: ${bad.message} Move that one away, and restore again.`,
      );
  };
  try {
    let batch: Buffer[] = [];
    let bytes = 0;
    for await (const block of blocks) {
      batch.push(block);
      bytes += block.length;
      if (batch.length < BATCH_BLOCKS_MAX && bytes < BATCH_BYTES_MAX) continue;
      await append(batch);
      [batch, bytes] = [[], 0];
    }
    await append(batch);
    return log.head;
  } finally {
    await log.close();
    lock.release();
  }
}
