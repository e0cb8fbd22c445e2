import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import { decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { BlockReader, listSegments } from '@mesh-registry/protocol/log/block-reader.ts';
import type { Head } from '@mesh-registry/protocol/log/chain.ts';
import { DamagedLogError } from '@mesh-registry/protocol/log/segment.ts';
import type { StoredBlocks } from '@mesh-registry/protocol/log/stored-blocks.ts';
import { unpack } from '@mesh-registry/protocol/log/pack.ts';
import { withTimeout } from '#server/common/with-timeout.ts';
import { readAnswer } from './genesis-head.ts';
import type { RecordedHead } from './log-head.ts';
import { RegistryLogError, type LogOptions } from './log-opening.ts';

/** How long each answer of a peer may take, milliseconds, and how long it may be, bytes: one block more than a batch. */
const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 2 * BATCH_BYTES_MAX;

/** Blocks that somebody else has, from a height on; none: that was the end. */
type Source = (from: number) => Promise<readonly Uint8Array[]> | readonly Uint8Array[];

/**
 * Completes the log in a directory with the blocks of a peer, also one that the disk has damaged. They are gathered in a
 * folder of it, and it is changed only once they lead to what the database and the network's truth say; so a source that
 * has another history, or fewer blocks, changes nothing.
 * @param from the address of the health server of a peer, or a directory with a copy of the log
 * @returns where the log ends then, and how many blocks were added
 * @throws RegistryLogError; what the file system throws
 */
export async function recoverRegistryLog(
  { directory, trust, clock, head, end }: LogOptions,
  recorded: RecordedHead | null,
  from: string,
): Promise<{ head: Head; added: number }> {
  const source = /^https?:\/\//.test(from) ? remoteSource(from, end) : localSource(from);
  // Not beside it: there the user of the service may not create anything. Readers pass it over.
  const folder = join(directory, '.recovering');
  rmSync(folder, { recursive: true, force: true });
  const gathered = BlockLog.open(folder, { trust, now: clock });
  try {
    const indexed = await gatherOwn(gathered, { directory, trust, clock });
    await copy(gathered, source, from);
    await requireAsLong(source, gathered.head, indexed, from);
    // What was written last may have reached nobody yet.
    if (recorded && gathered.head.height < recorded.height)
      await gathered.append(await head.frames());
    const { height, id } = trust.truth?.log ?? { height: 0, id: '' };
    if (recorded) requireBlock(gathered, recorded, from);
    if (height > 0) requireBlock(gathered, { height, id }, from);
    const log = BlockLog.open(directory, { trust, now: clock, onDamage: 'cut' });
    try {
      const before = intactHeight(log);
      await log.dropFrom(before + 1);
      await copy(log, (next) => framesOf(gathered, next), folder);
      return { head: log.head, added: log.head.height - before };
    } finally {
      await log.close();
    }
  } finally {
    await gathered.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Gathers what the log has itself, up to a block that the disk has changed or lost.
 * @returns how many blocks its index names, whether or not they can still be read
 */
async function gatherOwn(
  gathered: BlockLog,
  { directory, trust, clock }: Pick<LogOptions, 'directory' | 'trust' | 'clock'>,
): Promise<number> {
  const last = listSegments(directory).at(-1);
  const indexed = last ? last.first - 1 + last.readIndex().length : 0;
  let log: BlockLog;
  try {
    // Without blocks that are missing, this mends only what a crash has left, as each start does.
    log = BlockLog.open(directory, { trust, now: clock, onDamage: 'refuse' });
  } catch (error) {
    // The source has all of it.
    if (error instanceof DamagedLogError) return indexed;
    throw error;
  }
  try {
    await copy(gathered, (next) => intactFrames(log, next), directory);
    return Math.max(indexed, log.head.height);
  } finally {
    await log.close();
  }
}

/** The frames of a batch up to the first block that the disk has changed. */
function intactFrames(log: StoredBlocks, from: number, max = BATCH_BLOCKS_MAX): Buffer[] {
  try {
    return log.frames(from, max, BATCH_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof DamagedLogError)) throw error;
    const count = (error.height ?? from) - from;
    return count > 0 ? intactFrames(log, from, count) : [];
  }
}

/** Up to which height the blocks of a log are as they were written. */
function intactHeight(log: StoredBlocks): number {
  for (let height = 0; ;) {
    const { length } = intactFrames(log, height + 1);
    if (length === 0) return height;
    height += length;
  }
}

const framesOf = (log: StoredBlocks, from: number): Buffer[] =>
  log.frames(from, BATCH_BLOCKS_MAX, BATCH_BYTES_MAX);

/** Appends everything that a source has after the end of a log. */
async function copy(log: BlockLog, source: Source, name: string): Promise<void> {
  for (;;) {
    const frames = await source(log.head.height + 1);
    if (frames.length === 0) return;
    const { added, bad } = await log.append(frames);
    if (bad)
      throw new RegistryLogError(
        `The blocks of ${name} can’t be taken: ${bad.message} If they are the right ones, move the log here away and try again.`,
      );
    if (added === 0) return;
  }
}

/**
 * A source with fewer blocks says nothing of later ones.
 * @param indexed how many blocks the log had before the disk damaged it
 * @throws RegistryLogError
 */
async function requireAsLong(
  source: Source,
  { height, id }: Head,
  indexed: number,
  from: string,
): Promise<void> {
  const wanted = Math.max(height, indexed, 1);
  const [frame] = height < wanted ? [] : await source(height);
  if (frame && decodeBlock(frame).id === id) return;
  throw new RegistryLogError(
    `${from} has no block ${wanted}, so it doesn’t say whether peers have later ones. Nothing was changed.`,
  );
}

/** @throws RegistryLogError if the blocks that were gathered don't contain one */
function requireBlock(
  gathered: BlockLog,
  { height, id }: Pick<Head, 'height' | 'id'>,
  from: string,
): void {
  if (gathered.idAt(height) === id) return;
  throw new RegistryLogError(
    gathered.head.height < height
      ? `${from} has blocks up to ${gathered.head.height} only, and block ${height} is missing here. Nothing was changed.`
      : `${from} has another block ${height} than the registry wrote, or than the network’s truth names. Nothing was changed.`,
  );
}

function localSource(directory: string): Source {
  if (!existsSync(directory)) throw new RegistryLogError(`There is no ${directory}.`);
  const reader = BlockReader.open(directory);
  return (from) => framesOf(reader, from);
}

function remoteSource(address: string, end: AbortSignal): Source {
  return (from) =>
    withTimeout(TIMEOUT_MS, end, async (signal) => {
      // Beside /health, whose address is the one that people know.
      const url = new URL(`blocks?from=${from}`, address);
      const headers = { 'user-agent': 'mesh-registry' };
      const response = await fetch(url, { redirect: 'error', signal, headers });
      if (!response.ok)
        throw new RegistryLogError(
          `${url.href} answers ${response.status}. Name the health server of a peer that serves /blocks (mesh-agent peer --health), or a directory with a copy of the log.`,
        );
      return unpack(await readAnswer(response, ANSWER_BYTES_MAX), BATCH_BLOCKS_MAX);
    }).catch((error: unknown) => {
      if (error instanceof RegistryLogError) throw error;
      const { message, cause } = error as Error;
      const why = cause instanceof Error ? cause.message : message;
      throw new RegistryLogError(`${address} can’t be asked for blocks: ${why}`);
    });
}
