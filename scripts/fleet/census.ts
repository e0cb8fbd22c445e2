import { OFFLINE_AFTER_MS } from '@mesh-registry/protocol/values.schema.ts';
import type { SimulatedNode } from './node-lifecycle.ts';

export interface Census {
  /**
   * By the status that the service last acknowledged, offline after 60 s as on the map. `joining` nodes
   * have not been acknowledged yet; `alive` is online + syncing + idle.
   */
  nodes: Record<'total' | 'alive' | 'online' | 'syncing' | 'idle' | 'offline' | 'joining', number>;
  /** Rows in the last accepted announcements, and how many of them the directory lists. */
  computes: { announced: number; listed: number };
}

/** Counts the nodes as the service should show them. @param now milliseconds of performance.now() */
export function takeCensus(simulated: SimulatedNode[], now: number): Census {
  const counts = { online: 0, syncing: 0, idle: 0, offline: 0, joining: 0 };
  const computes = { announced: 0, listed: 0 };
  for (const { acknowledged, announced } of simulated) {
    if (!acknowledged) counts.joining++;
    else if (now - acknowledged.at > OFFLINE_AFTER_MS) counts.offline++;
    else counts[acknowledged.status]++;
    computes.announced += announced.rows;
    computes.listed += announced.listed;
  }
  const alive = counts.online + counts.syncing + counts.idle;
  return { nodes: { ...counts, alive, total: simulated.length }, computes };
}
