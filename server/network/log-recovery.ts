import { existsSync, rmSync } from 'node:fs';
import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import { decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import type { Head } from '@mesh-registry/protocol/log/chain.ts';
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
 * Completes the log in a directory with the blocks of a peer. They are gathered beside it, and added only once they lead to
 * what the database and the network's truth say; so a source that has another history changes nothing.
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
  const beside = `${directory}.recovering`;
  rmSync(beside, { recursive: true, force: true });
  const gathered = BlockLog.open(beside, { trust, now: clock });
  try {
    // What is damaged is cut: the source has it.
    const log = BlockLog.open(directory, { trust, now: clock, onDamage: 'cut' });
    try {
      const before = log.head.height;
      await copy(gathered, (next) => framesOf(log, next), directory);
      await copy(gathered, source, from);
      await requireAsLong(source, gathered.head, from);
      // What was written last may have reached nobody yet.
      if (recorded && gathered.head.height < recorded.height)
        await gathered.append(await head.frames());
      const { height, id } = trust.truth?.log ?? { height: 0, id: '' };
      if (recorded) requireBlock(gathered, recorded, from);
      if (height > 0) requireBlock(gathered, { height, id }, from);
      await copy(log, (next) => framesOf(gathered, next), beside);
      return { head: log.head, added: log.head.height - before };
    } finally {
      await log.close();
    }
  } finally {
    await gathered.close();
    rmSync(beside, { recursive: true, force: true });
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

/** A source with fewer blocks says nothing of later ones. @throws RegistryLogError */
async function requireAsLong(source: Source, { height, id }: Head, from: string): Promise<void> {
  const [frame] = height === 0 ? [] : await source(height);
  if (frame && decodeBlock(frame).id === id) return;
  throw new RegistryLogError(
    `${from} has no block ${Math.max(height, 1)}, so it doesn’t say whether peers have later ones. Nothing was changed.`,
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
