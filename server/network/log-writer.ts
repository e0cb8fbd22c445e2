import type { KeyObject } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { createBlock, decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';
import { readEvents } from './log-events.ts';
import {
  REGISTRY_BLOCK,
  RegistryBody,
  type RegistryEvent,
} from '@mesh-registry/protocol/log/registry-event.schema.ts';

/** Events of a block, at most: its body stays below the limit of 256 KiB. */
const BLOCK_EVENTS_MAX = 500;
/** Blocks that are appended at once. */
const TOGETHER = 16;
/**
 * How long an event may take from its moment to its commit, milliseconds. After the first run, which compares all of the
 * history with the log, only so much of it is read again.
 */
const OVERLAP_MS = 3_600_000;

/**
 * Events younger than this are left for the next time, milliseconds: a decision can be undone for a few seconds, and who
 * undoes it in the last of them needs a moment to commit that.
 */
const SETTLED_MS = 2 * UNDO_MS;

/** The log cannot be continued as it is. */
export class RegistryLogError extends Error {
  override readonly name = 'RegistryLogError';
}

export interface Written {
  events: number;
  blocks: number;
}

interface WriterOptions {
  directory: string;
  db: Db;
  key: KeyObject;
  trust: Trust;
  /** Milliseconds since 1970. */
  clock: () => number;
}

/**
 * Writes the registry's public history to the log. What is in the log already, the log itself says: each event has an id,
 * so none is written twice, and none is left out, wherever a writer before was stopped.
 */
export class RegistryLogWriter {
  readonly #log: BlockLog;
  /** When the events happened that are in the log, by their id, ms; only those that may be read again. */
  readonly #known: Map<string, number>;
  #since: Date | null = null;

  /** @throws DamagedLogError; RegistryLogError if the log ends before the block that the network's truth names */
  constructor(private readonly options: WriterOptions) {
    const { directory, trust, clock } = options;
    this.#log = BlockLog.open(directory, { trust, now: clock, onDamage: 'refuse' });
    requireCheckpoint(this.#log, trust);
    this.#known = knownEvents(this.#log);
  }

  /** Where the log ends. */
  get head() {
    return this.#log.head;
  }

  /** Writes what has happened since the last time. @throws AppError `unavailable`; what the file system throws */
  async write(): Promise<Written> {
    const now = this.options.clock();
    const found = await readEvents(this.options.db, this.#since, new Date(now - SETTLED_MS));
    const events = found.filter(({ id }) => !this.#known.has(id));
    let blocks = 0;
    for (let at = 0; at < events.length; at += TOGETHER * BLOCK_EVENTS_MAX)
      blocks += await this.#append(events.slice(at, at + TOGETHER * BLOCK_EVENTS_MAX));
    const since = now - OVERLAP_MS;
    for (const [id, at] of this.#known) if (at < since) this.#known.delete(id);
    this.#since = new Date(since);
    return { events: events.length, blocks };
  }

  /** @returns how many blocks they took */
  async #append(events: readonly RegistryEvent[]): Promise<number> {
    const { trust, key, clock } = this.options;
    const frames: Buffer[] = [];
    let { height, id: prev, time: before } = this.#log.head;
    for (let at = 0; at < events.length; at += BLOCK_EVENTS_MAX) {
      const body: RegistryBody = { events: events.slice(at, at + BLOCK_EVENTS_MAX) };
      // A clock may have been set back.
      const time = new Date(Math.max(clock(), before === null ? 0 : Date.parse(before)));
      before = time.toISOString();
      const frame = createBlock(
        {
          network: trust.network,
          height: ++height,
          prev,
          time: before,
          kind: REGISTRY_BLOCK,
          body: Buffer.from(JSON.stringify(body)),
        },
        key,
      );
      prev = decodeBlock(frame).id;
      frames.push(frame);
    }
    const { bad } = await this.#log.append(frames);
    if (bad) throw bad;
    for (const { id, at } of events) this.#known.set(id, Date.parse(at));
    return frames.length;
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

/** A log that was lost, or is another one, must not begin anew: peers have the one before. */
function requireCheckpoint(log: BlockLog, { truth }: Trust): void {
  const { height, id } = truth?.log ?? { height: 0, id: '' };
  if (height === 0 || log.idAt(height) === id) return;
  throw new RegistryLogError(
    log.head.height < height
      ? `The log in ${log.directory} ends at block ${log.head.height}, but the network’s truth names block ${height}. Restore it from a backup, or copy the log of a peer.`
      : `Block ${height} of the log in ${log.directory} is not the one that the network’s truth names.`,
  );
}

/** The events of the whole log. */
function knownEvents(log: BlockLog): Map<string, number> {
  const known = new Map<string, number>();
  for (let next = 1; next <= log.head.height;) {
    const frames = log.frames(next, BATCH_BLOCKS_MAX, BATCH_BYTES_MAX);
    for (const frame of frames) {
      const { header, body } = decodeBlock(frame);
      if (header.kind !== REGISTRY_BLOCK) continue;
      const { events } = RegistryBody.parse(JSON.parse(body.toString()));
      for (const { id, at } of events) known.set(id, Date.parse(at));
    }
    next += frames.length;
  }
  return known;
}
