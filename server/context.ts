import type { Logger } from 'pino';
import type { Db } from '#db/client.ts';
import type { Config } from './config.ts';
import type { GenesisMonitor } from '#server/mesh/genesis.ts';
import type { Feed, ListWorker, LiveModel, Ticker } from '#server/live/index.ts';
import type { NameIndex, ReservedNameIndex } from '#server/registry/index.ts';

/** The first argument of service functions: configuration, database and read model, nothing of HTTP. */
export interface ServiceContext {
  readonly config: Config;
  readonly db: Db;
  readonly live: LiveModel;
  readonly feed: Feed;
  readonly names: NameIndex;
  readonly reservedNames: ReservedNameIndex;
  readonly genesis: GenesisMonitor;
  readonly ticker: Ticker;
  /** The thread that makes large lists. */
  readonly listWorker: ListWorker;
  readonly log: Logger;
  /** Milliseconds since 1970; tests pass their own clock. */
  readonly clock: () => number;
  /** Random, one per process: marks the rows it writes and its event ids. */
  readonly serverId: string;
}
