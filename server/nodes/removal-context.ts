import type { ServiceContext } from '#server/context.ts';

/** What removal needs beyond the service context. */
export interface RemovalContext extends ServiceContext {
  /** The ids of a node's compute offers. */
  readonly offersOf: (nodeId: string) => string[];
  /** Since when (ms) this server has been up, with its database, without interruption. */
  readonly upSince: () => number;
}
