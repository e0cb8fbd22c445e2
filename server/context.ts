import type { Logger } from 'pino';
import type { Db } from '#db/client.ts';
import type { Feed, ListWorker, LiveModel, Ticker } from '#server/live/index.ts';
import type { Config } from './config.ts';

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

/**
 * Runs `store`, which may add ids that are not known yet, within the limit of a client.
 * @param most how many it may add
 * @param created how many it has added
 * @throws AppError `rate_limited`, and what `store` throws
 */
export type NewIdLimit = <T>(
  most: number,
  store: () => Promise<T>,
  created: (result: T) => number,
) => Promise<T>;

/** The signature of a request, once it was verified. */
export interface RequestSigner {
  /** The public key as text. */
  key: string;
  /** When it was signed by the signer's clock, seconds since 1970. */
  created: number;
  nonce: string;
}

/** Who writes, and within what limit. */
export interface WriteOptions {
  /** The limit of new ids. Default: none. */
  newIds?: NewIdLimit;
  /** Who has signed the request; null: nobody. */
  signer?: RequestSigner | null;
}

/** For writes that no limit of new ids holds back. */
export const withoutLimit: NewIdLimit = (_, store) => store();
