import { and, sql, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import type { Db } from '#db/client.ts';
import { withRetry } from './with-retry.ts';

/**
 * What a room stores for a limited time: a table that is on one server, and which of its rows have expired at `now` (ms);
 * or what deletes them, where there is more to do.
 */
export type Expired =
  | readonly [table: PgTable, where: (now: number) => SQL]
  | ((db: Db, now: number) => Promise<void>);

/** What a room does every `ms` milliseconds from its start on. `failure` is the log's message if it fails. */
export interface Repeated {
  ms: number;
  failure: string;
  work: () => Promise<unknown>;
}

/** What the composition does with a room, beside passing its functions on. */
export interface Room {
  /** Reads what it needs, before anybody is served. */
  load?(): Promise<void> | void;
  /** Begins to work in the background. */
  start?(): void;
  /** Ends that. Everything that it has accepted is stored afterwards. */
  stop?(): Promise<void> | void;
  readonly repeats?: readonly Repeated[];
  readonly expired?: readonly Expired[];
}

/** Tells rooms above what has happened. What must be in the same transaction is never a signal, but a call downwards. */
export interface Signal<T> {
  /** Calls `listener` with each value from now on. */
  on: (listener: (value: T) => void) => void;
  emit: (value: T) => void;
}

/** @param log is told of a listener that throws; that stops neither the other listeners nor who emits */
export function createSignal<T = void>(log: Pick<Logger, 'error'>): Signal<T> {
  const listeners: ((value: T) => void)[] = [];
  return {
    on: (listener) => void listeners.push(listener),
    emit: (value) => {
      for (const listener of listeners)
        try {
          listener(value);
        } catch (error) {
          log.error({ err: error }, 'what listens to a signal has failed');
        }
    },
  };
}

/** Rows that one statement deletes: it has to end before its time-out, however many there are. */
export const ROWS_PER_DELETE = 5000;

/** Deletes all rows that match, some at a time: what is gone is gone if it fails. */
async function deleteRows(db: Db, table: PgTable, where: SQL): Promise<void> {
  const some = db
    .select({ row: sql`ctid` })
    .from(table)
    .where(where)
    .limit(ROWS_PER_DELETE);
  for (let full = true; full;) {
    const deleted = await withRetry(() =>
      db
        .delete(table)
        // A row that was renewed meanwhile, and waited for, stays.
        .where(and(where, sql`ctid = any(array(${some}))`))
        .returning({ one: sql`1` }),
    );
    full = deleted.length === ROWS_PER_DELETE;
  }
}

/** The rooms of the service in their order: the lowest is loaded and started first, and stopped last. */
export function createRooms(log: Logger) {
  const rooms: { name: string; room: Room }[] = [];
  /** The rooms that have been loaded: the ones to stop. */
  const open: typeof rooms = [];
  const timers: NodeJS.Timeout[] = [];

  /** @throws what the first room throws that could not stop; the others have stopped nevertheless */
  async function stop(): Promise<void> {
    timers.splice(0).forEach(clearInterval);
    const failures: unknown[] = [];
    for (const { name, room } of open.splice(0).reverse())
      try {
        await room.stop?.();
      } catch (error) {
        log.error({ err: error }, `${name} could not be stopped`);
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0] as Error;
  }

  return {
    /** Adds a room above those before. */
    use<T extends Room>(name: string, room: T): T {
      rooms.push({ name, room });
      return room;
    },
    /** Loads all rooms. @throws what a room throws that cannot be loaded; those before it have been stopped */
    async load(): Promise<void> {
      for (const each of rooms) {
        open.push(each);
        try {
          await each.room.load?.();
        } catch (error) {
          await stop().catch(() => undefined);
          throw error;
        }
      }
    },
    start: (): void => {
      for (const { room } of rooms) {
        room.start?.();
        for (const { ms, failure, work } of room.repeats ?? []) {
          const run = () =>
            void work().catch((error: unknown) => log.warn({ err: error }, failure));
          timers.push(setInterval(run, ms).unref());
        }
      }
    },
    stop,
    /**
     * Deletes what the rooms stored for a limited time that has passed at `now` (ms), whether or not anyone asks for it.
     * Any number of servers may do so at once, and a table that fails does not hold up the others.
     * @throws AppError `unavailable`
     */
    async deleteExpired(db: Db, now: number): Promise<void> {
      const deleting = rooms
        .flatMap(({ room }) => room.expired ?? [])
        .map((each) => {
          if (typeof each === 'function') return each(db, now);
          const [table, where] = each;
          return deleteRows(db, table, where(now));
        });
      for (const result of await Promise.allSettled(deleting))
        if (result.status === 'rejected') throw result.reason as Error;
    },
  };
}
