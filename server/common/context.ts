import type { Logger } from 'pino';
import type { Db } from '#db/client.ts';
import type { Config } from '#server/config.ts';
import type { GenesisMonitor } from '#server/genesis/monitor.ts';
import type { GroupWriter } from '#server/live/group-writer.ts';
import type { ComputeRow, LiveModel } from '#server/live/read-model.ts';
import type { Ticker } from '#server/live/ticker.ts';
import type { ComputeWrite } from '#server/computes/announce-writer.ts';
import type { PingWrite, PingWritten } from '#server/mesh/ping-writer.ts';

/** What every service function gets first: the database, the read model, and nothing of HTTP. */
export interface ServiceContext {
  readonly config: Config;
  readonly db: Db;
  readonly live: LiveModel;
  readonly pings: GroupWriter<PingWrite, PingWritten>;
  readonly announces: GroupWriter<ComputeWrite[], ComputeRow[]>;
  readonly genesis: GenesisMonitor;
  readonly ticker: Ticker;
  readonly log: Logger;
  /** Milliseconds since 1970; tests hand in their own. */
  readonly clock: () => number;
  /** Random, per process: marks its rows, its tags and its event ids. */
  readonly serverId: string;
}
