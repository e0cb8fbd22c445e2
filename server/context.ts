import type { Logger } from 'pino';
import type { Db } from '#db/client.ts';
import type { Config } from './config.ts';
import type { Feed, ListWorker, LiveModel, Ticker } from '#server/live/index.ts';

/**
 * The first argument of service functions. It holds infrastructure only: what a room makes is passed by name to the
 * rooms above it.
 */
export interface ServiceContext {
  readonly config: Config;
  readonly db: Db;
  readonly live: LiveModel;
  readonly feed: Feed;
  readonly ticker: Ticker;
  /** The thread that makes large lists. */
  readonly listWorker: ListWorker;
  readonly log: Logger;
  /** Milliseconds since 1970; tests pass their own clock. */
  readonly clock: () => number;
  /** Random, one per process: marks the rows it writes and its event ids. */
  readonly serverId: string;
}
