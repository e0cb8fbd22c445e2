import type { KeyObject } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { createBlock, decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import type { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { headOf, type Head } from '@mesh-registry/protocol/log/chain.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';
import { Slices } from '#server/common/slices.ts';
import { readEvents } from './log-events.ts';
import type { LogHead } from './log-head.ts';
import { lostLease } from './log-opening.ts';
import {
  REGISTRY_BLOCK,
  RegistryBody,
  type RegistryEvent,
} from '@mesh-registry/protocol/log/registry-event.schema.ts';

/** Events of a block, at most: its body stays below the limit of 256 KiB. */
const BLOCK_EVENTS_MAX = 500;
/** Blocks that are appended at once: as many as the row of the log's end holds. */
const TOGETHER = 16;
/**
 * How long an event may take from its moment to its commit, milliseconds. After the first run, which compares all of the
 * history with the log, step by step, only so much of it is read again.
 */
const OVERLAP_MS = 3_600_000;

/**
 * Events younger than this are left for the next time, milliseconds: a decision can be undone for a few seconds, and who
 * undoes it in the last of them needs a moment to commit that.
 */
const SETTLED_MS = 2 * UNDO_MS;

export interface Written {
  events: number;
  blocks: number;
}

interface WriterOptions {
  /** Ends where the database says. */
  log: BlockLog;
  head: LogHead;
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
  #since: Date | null = null;

  /** @param known when the events happened that are in the log, by their id, ms; only those that may be read again */
  private constructor(
    private readonly options: WriterOptions,
    private readonly known: Map<string, number>,
  ) {}

  /** Reads the whole log, in slices. */
  static async open(options: WriterOptions): Promise<RegistryLogWriter> {
    return new RegistryLogWriter(options, await knownEvents(options.log));
  }

  get log(): BlockLog {
    return this.options.log;
  }

  /** Where the log ends. */
  get end(): Head {
    return this.log.head;
  }

  /**
   * Writes what has happened since the last time. Blocks are recorded in the transaction that reads their events, and then
   * appended: what a crash keeps from the disk is in the database.
   * @throws RegistryLogError if another process has begun to write; what the database or the file system throws
   */
  async write(): Promise<Written> {
    const now = this.options.clock();
    const settled = new Date(now - SETTLED_MS);
    const written = { events: 0, blocks: 0 };
    for (let until: Date | null = null; until === null || until < settled;) {
      const step = await this.#record(settled);
      const { bad } = await this.options.log.append(step.frames);
      if (bad) throw bad;
      for (const { id, at } of step.events) this.known.set(id, Date.parse(at));
      written.events += step.events.length;
      written.blocks += step.frames.length;
      until = step.until;
      // There may be more at the same moment.
      this.#since = new Date(until.getTime() - 1);
    }
    const since = now - OVERLAP_MS;
    for (const [id, at] of this.known) if (at < since) this.known.delete(id);
    this.#since = new Date(since);
    return written;
  }

  /** Makes the next blocks, and moves the log's end in the database. */
  async #record(until: Date) {
    const { db, head, log } = this.options;
    // If it isn't known whether this was committed, the log is opened again and compared.
    return db.transaction(async (tx) => {
      if (!(await head.hold(tx, log.head))) throw lostLease();
      const found = await readEvents(tx, {
        since: this.#since,
        until,
        isKnown: (id) => this.known.has(id),
        max: TOGETHER * BLOCK_EVENTS_MAX,
      });
      const events = found.events.slice(0, TOGETHER * BLOCK_EVENTS_MAX);
      const { frames, end } = this.#blocksOf(events);
      if (frames.length > 0) await head.advance(tx, end, frames);
      const last = events.at(-1);
      const isAll = events.length === found.events.length;
      return { events, frames, until: isAll || !last ? found.until : new Date(last.at) };
    });
  }

  #blocksOf(events: readonly RegistryEvent[]): { frames: Buffer[]; end: Head } {
    const { trust, key, clock } = this.options;
    const frames: Buffer[] = [];
    let end = this.end;
    for (let at = 0; at < events.length; at += BLOCK_EVENTS_MAX) {
      const body: RegistryBody = { events: events.slice(at, at + BLOCK_EVENTS_MAX) };
      // A clock may have been set back.
      const time = new Date(Math.max(clock(), end.time === null ? 0 : Date.parse(end.time)));
      const frame = createBlock(
        {
          network: trust.network,
          height: end.height + 1,
          prev: end.id,
          time: time.toISOString(),
          kind: REGISTRY_BLOCK,
          body: Buffer.from(JSON.stringify(body)),
        },
        key,
      );
      end = headOf(decodeBlock(frame));
      frames.push(frame);
    }
    return { frames, end };
  }

  close(): Promise<void> {
    return this.options.log.close();
  }
}

/** The events of the whole log. */
async function knownEvents(log: BlockLog): Promise<Map<string, number>> {
  const known = new Map<string, number>();
  const slices = new Slices();
  for (let next = 1; next <= log.head.height;) {
    const frames = log.frames(next, BATCH_BLOCKS_MAX, BATCH_BYTES_MAX);
    await slices.each(frames, (frame) => {
      const { header, body } = decodeBlock(frame);
      if (header.kind !== REGISTRY_BLOCK) return;
      const { events } = RegistryBody.parse(JSON.parse(body.toString()));
      for (const { id, at } of events) known.set(id, Date.parse(at));
    });
    next += frames.length;
  }
  return known;
}
