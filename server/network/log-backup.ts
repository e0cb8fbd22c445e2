import { existsSync } from 'node:fs';
import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import { decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import { NO_HEAD, type Head } from '@mesh-registry/protocol/log/chain.ts';
import { DamagedLogError } from '@mesh-registry/protocol/log/segment.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { BackupError, type LogEnd } from '#db/backup/index.ts';
import { lockDirectory } from '#db/connection/lock.ts';
import { decodeFrames } from './log-head.ts';
import { makeReadable } from './log.ts';

/** The log in backups of the database. */

const OR_ALONE =
  'Put the right log there, or complete it (npm run registry-log -- --recover URL); or unset REGISTRY_LOG_DIR to back up the database alone.';

/**
 * The blocks of a log for a backup, up to where it ended at the moment of the database. A writer may be adding to it
 * meanwhile; what was recorded and is not on disk yet comes from the database.
 * @throws BackupError if it is another log than that of the database, damaged, or has fewer blocks
 */
export function* blocksForBackup(directory: string, end: LogEnd): Generator<Buffer> {
  let last: Pick<Head, 'height' | 'id'> = NO_HEAD;
  for (const frame of recordedBlocks(directory, end)) {
    const { header, id } = decodeBlock(frame);
    if (header.prev !== last.id)
      throw new BackupError(
        `Block ${last.height} of the log in ${directory} is not the one that the registry wrote. ${OR_ALONE}`,
      );
    last = { height: header.height, id };
    yield frame;
  }
  if (last.height < end.height)
    throw new BackupError(
      `The log in ${directory} ends at block ${last.height}, but the registry has written block ${end.height}. ${OR_ALONE}`,
    );
  if (last.id !== end.id)
    throw new BackupError(
      `Block ${last.height} of the log in ${directory} is not the one that the registry wrote. ${OR_ALONE}`,
    );
}

/** @throws BackupError if the disk has damaged the log */
function* recordedBlocks(directory: string, end: LogEnd): Generator<Buffer> {
  let next = 1;
  try {
    const reader = existsSync(directory) ? BlockReader.open(directory) : null;
    const last = Math.min(reader?.head.height ?? 0, end.height);
    for (let frames; reader && next <= last; next += frames.length) {
      frames = reader.frames(next, Math.min(BATCH_BLOCKS_MAX, last - next + 1), BATCH_BYTES_MAX);
      yield* frames;
    }
  } catch (error) {
    if (error instanceof DamagedLogError) throw new BackupError(`${error.message} ${OR_ALONE}`);
    throw error;
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
 * @throws BackupError if the directory has another log, or a damaged one; what the file system throws
 */
export async function restoreBlocks(
  { directory, trust }: { directory: string; trust: Trust },
  blocks: AsyncIterable<Buffer>,
): Promise<Head> {
  makeReadable(directory);
  const lock = await lockDirectory(directory, { waitMs: 0 });
  try {
    return await appendAll(BlockLog.open(directory, { trust, onDamage: 'refuse' }), blocks);
  } catch (error) {
    if (error instanceof DamagedLogError)
      throw new BackupError(`${error.message} Move that log away, and restore again.`);
    throw error;
  } finally {
    lock.release();
  }
}

/** Appends blocks to a log and closes it. @throws BackupError if they don't fit */
async function appendAll(log: BlockLog, blocks: AsyncIterable<Buffer>): Promise<Head> {
  const append = async (frames: readonly Buffer[]) => {
    const { bad } = await log.append(frames);
    if (bad)
      throw new BackupError(
        `The log of the backup doesn’t fit to the one in ${log.directory}: ${bad.message} Move that one away, and restore again.`,
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
  }
}
