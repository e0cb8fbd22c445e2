import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { decodeBlock, type BlockError } from '@mesh-registry/protocol/log/block.ts';
import type { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { MalformedError } from '../session/channel.ts';
import type { PeerContext } from '../context.ts';
import { LIMITS, POINTS } from '../base/limits.ts';
import { isContradicted, keptLogOf, openBeside } from './peer-log.ts';
import type { Session } from '../session/session.ts';

/**
 * A log of another history than the network's truth names is replaced as a whole. The truth is signed by other keys than
 * the blocks, so its checkpoint decides: the blocks that lead to it are fetched from their first one into a directory
 * beside the log, and only when they have reached it they take its place. What was there is kept, as evidence.
 */

interface LogReplacementOptions {
  /** Asks a peer for blocks. @throws MalformedError, or what ended the stream */
  request: (
    session: Session,
    from: number,
    max: number,
  ) => Promise<{ frames: Uint8Array[]; isWhole: boolean }>;
  /** Judges a peer that gave blocks which do not follow one another. */
  refuse: (session: Session, bad: BlockError) => Promise<unknown>;
  onReplaced: () => void;
}

type Checkpoint = NonNullable<Trust['truth']>['log'];

export class LogReplacement {
  #running = false;
  /** The checkpoints to which a peer has no blocks that lead. */
  readonly #lacking = new WeakMap<Session, string>();

  constructor(
    private readonly context: PeerContext,
    private readonly options: LogReplacementOptions,
  ) {}

  /** If the truth says that our log is another one, asks all peers for the right one. */
  async search(): Promise<void> {
    const { log, trust, sessions } = this.context;
    if (this.#running || !isContradicted(log, trust)) return;
    for (const session of sessions.shuffled()) await this.takeFrom(session);
  }

  /** Takes the log of a peer, if the truth speaks for it and not for ours. */
  async takeFrom(session: Session): Promise<void> {
    const { log, trust } = this.context;
    const checkpoint = trust.truth?.log;
    if (!checkpoint || checkpoint.height === 0 || this.#running || session.ended.aborted) return;
    if (session.have.height < checkpoint.height || this.#lacking.get(session) === checkpoint.id)
      return;
    this.#running = true;
    try {
      if (await storing(() => log.idAt(checkpoint.height) === checkpoint.id)) return;
      await this.#replace(session, checkpoint);
    } catch (error) {
      // Our own disk is nobody else's fault.
      if (error instanceof StorageError)
        this.context.emit({ kind: 'storage', message: error.message });
      else if (error instanceof MalformedError)
        this.context.punish(session, POINTS.forged, error.message);
      else session.disappointments++;
    } finally {
      this.#running = false;
    }
  }

  async #replace(session: Session, checkpoint: Checkpoint): Promise<void> {
    const { log, trust } = this.context;
    // The block of the checkpoint comes first: without it, the others are not worth fetching.
    const [frame] = (await this.options.request(session, checkpoint.height, 1)).frames;
    if (!frame || idOf(frame) !== checkpoint.id)
      return void this.#lacking.set(session, checkpoint.id);
    const other = await storing(() => openBeside(log.directory, trust));
    try {
      const bad = await this.#fetch(session, other, checkpoint);
      if (bad) this.#lacking.set(session, checkpoint.id);
      if (other.idAt(checkpoint.height) !== checkpoint.id) {
        if (bad) await this.options.refuse(session, bad);
      } else if (other.idAt(log.head.height) === log.head.id) {
        // The new log continues ours, so ours was right: it was the peer's block that belongs to another history.
        this.#lacking.set(session, checkpoint.id);
      } else await this.#put(other);
    } finally {
      await storing(() => drop(other));
    }
  }

  /** All blocks up to a checkpoint. @returns what is wrong with the next one, if that is why there are no more */
  async #fetch(
    session: Session,
    other: BlockLog,
    { height }: Checkpoint,
  ): Promise<BlockError | null> {
    while (other.head.height < height) {
      const from = other.head.height + 1;
      const { frames, isWhole } = await this.options.request(session, from, LIMITS.batchBlocks);
      const { added, bad } = await storing(() => other.append(frames));
      // The end of a part need not be signed.
      if (bad && isWhole) return bad;
      if (added === 0) throw new Error('No block has come.');
    }
    return null;
  }

  async #put(other: BlockLog): Promise<void> {
    const { log, alarm } = this.context;
    const kept = keptLogOf(log.directory, new Date());
    const last = await storing(() => log.read(log.head.height) ?? new Uint8Array());
    await storing(() => log.replaceBy(other, kept));
    alarm(
      'log_fork',
      `The log was not the one that the truth names, and was replaced. It is kept in ${basename(kept)}.`,
      last,
    );
    this.options.onReplaced();
  }
}

/** @throws MalformedError if it is no block */
function idOf(frame: Uint8Array): string {
  try {
    return decodeBlock(frame).id;
  } catch {
    throw new MalformedError('no block');
  }
}

async function drop(log: BlockLog): Promise<void> {
  await log.close();
  rmSync(log.directory, { recursive: true, force: true });
}

class StorageError extends Error {
  override readonly name = 'StorageError';
}

async function storing<T>(action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw new StorageError((error as Error).message);
  }
}
