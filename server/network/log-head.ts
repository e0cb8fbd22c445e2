import { randomUUID } from 'node:crypto';
import { and, eq, gt, inArray, lte, or, sql } from 'drizzle-orm';
import type { Head } from '@mesh-registry/protocol/log/chain.ts';
import type { Db } from '#db/client.ts';
import { LOG_HEAD, logHead } from '#db/schema/index.ts';

/** How long a writer that was killed keeps others from writing, seconds. One that runs renews its lease in time. */
const LEASE_S = 30;
export const RENEW_MS = 10_000;

const ENDS = sql`clock_timestamp() + ${LEASE_S} * interval '1 second'`;
const NEVER = new Date(0);

/** Where a log ends. */
type End = Pick<Head, 'height' | 'id'>;

/** What the database says of the log. */
export interface RecordedHead extends End {
  /** It comes from a backup: peers may have later blocks. */
  mustCompare: boolean;
}

/**
 * Where the log ends, as the database has it, and the lease of the one process that may continue it. Both in one row: a
 * copy of the directory that is older doesn't fit to it, and two machines can't continue it at the same time. By the
 * database's clock, and without a session's locks: poolers take those away.
 */
export class LogHead {
  /** Names this process. */
  readonly #writer = randomUUID();
  readonly #own = and(
    eq(logHead.id, LOG_HEAD),
    eq(logHead.writer, this.#writer),
    gt(logHead.leaseUntil, sql`clock_timestamp()`),
  );

  constructor(private readonly db: Db) {}

  /** Takes or renews the lease. @returns `held`: by another process; null: there is no row yet */
  async take(): Promise<RecordedHead | 'held' | null> {
    const [taken] = await this.db
      .update(logHead)
      .set({ writer: this.#writer, leaseUntil: ENDS })
      .where(
        and(
          eq(logHead.id, LOG_HEAD),
          or(
            eq(logHead.writer, this.#writer),
            eq(logHead.writer, ''),
            lte(logHead.leaseUntil, sql`clock_timestamp()`),
          ),
        ),
      )
      .returning({
        height: logHead.height,
        id: logHead.blockId,
        mustCompare: logHead.mustCompare,
      });
    if (taken) return taken;
    const rows = await this.db
      .select({ id: logHead.id })
      .from(logHead)
      .where(eq(logHead.id, LOG_HEAD));
    return rows.length > 0 ? 'held' : null;
  }

  /**
   * Keeps the lease, if it is still this process's. While a transaction of its own holds the row, which nobody else can
   * take then, it doesn't wait for that.
   */
  async renew(): Promise<void> {
    const free = this.db
      .select({ id: logHead.id })
      .from(logHead)
      .where(this.#own)
      .for('update', { skipLocked: true });
    await this.db.update(logHead).set({ leaseUntil: ENDS }).where(inArray(logHead.id, free));
  }

  /** Lets another process write. */
  async release(): Promise<void> {
    await this.db.update(logHead).set({ writer: '', leaseUntil: NEVER }).where(this.#own);
  }

  /** The blocks that were added last. */
  async frames(): Promise<Buffer[]> {
    const [row] = await this.db
      .select({ frames: logHead.frames })
      .from(logHead)
      .where(eq(logHead.id, LOG_HEAD));
    return decodeFrames(row?.frames ?? '');
  }

  /** Makes the row of a log that has none, and takes the lease. @returns whether nobody else was faster */
  async create({ height, id }: End): Promise<boolean> {
    const made = await this.db
      .insert(logHead)
      .values({
        id: LOG_HEAD,
        height,
        blockId: id,
        frames: '',
        writer: this.#writer,
        leaseUntil: ENDS,
      })
      .onConflictDoNothing()
      .returning({ id: logHead.id });
    return made.length > 0;
  }

  /** Takes the end of the log on disk for the right one. @returns whether the lease was still this process's */
  async settle({ height, id }: End): Promise<boolean> {
    const settled = await this.db
      .update(logHead)
      .set({ height, blockId: id, frames: '', mustCompare: false })
      .where(this.#own)
      .returning({ id: logHead.id });
    return settled.length > 0;
  }

  /**
   * Locks the row for a transaction, and renews the lease.
   * @returns whether it is still this process's, and the log ends where the process thinks
   */
  async hold(tx: Db, { height, id }: End): Promise<boolean> {
    const held = await tx
      .update(logHead)
      .set({ leaseUntil: ENDS })
      .where(and(this.#own, eq(logHead.height, height), eq(logHead.blockId, id)))
      .returning({ id: logHead.id });
    return held.length > 0;
  }

  /** Moves the row on, and renews the lease: reading may have taken longer than that. @param tx one that holds the row @param frames the blocks up to there, from the end before on */
  async advance(tx: Db, { height, id }: End, frames: readonly Buffer[]): Promise<void> {
    await tx
      .update(logHead)
      .set({ height, blockId: id, frames: encodeFrames(frames), leaseUntil: ENDS })
      .where(eq(logHead.id, LOG_HEAD));
  }
}

const encodeFrames = (frames: readonly Buffer[]): string =>
  frames.map((frame) => frame.toString('base64')).join('\n');

/** The blocks in the column `frames`. */
export const decodeFrames = (text: string): Buffer[] =>
  text === '' ? [] : text.split('\n').map((line) => Buffer.from(line, 'base64'));
