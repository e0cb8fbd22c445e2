import type { AnnouncedRow, Peer } from '@mesh-registry/client/index.ts';
import type { ActiveFault } from './fault-board.ts';
import type { Pin } from './pin-watch.ts';

/** What `status --json` prints of a running agent. Fields are only ever added. Times are ISO 8601. */
export interface AgentStatus {
  agent: { version: string; pid: number; startedAt: string; configFile: string };
  service: string;
  node: { id: string; key: string | null; pin: Pin };
  /** Null: the configuration has no section [map]. */
  heartbeats: (ChannelStatus & { published: PublishedNode | null }) | null;
  /** Null: the configuration has no [[compute]]. */
  announcements: (ChannelStatus & { offers: OfferStatus[] }) | null;
  /** How far this machine's clock is ahead of the service's, milliseconds, to about a second; null: not known yet. */
  clockSkewMs: number | null;
  /** Why what happened cannot be stored on this machine. */
  stateFault: FaultStatus | null;
}

export interface ChannelStatus {
  /** `fresh`: the service has heard of the node lately, so it is shown as present. */
  fresh: boolean;
  accepted: number;
  failed: number;
  lastAttemptAt: string | null;
  lastAcceptedAt: string | null;
  /** Null: an attempt is under way. */
  nextAttemptAt: string | null;
  fault: FaultStatus | null;
}

export interface FaultStatus {
  kind: string;
  message: string;
  since: string;
}

export type PublishedNode = Pick<Peer, 'label' | 'class' | 'region' | 'status' | 'lat' | 'lng'>;
export type OfferStatus = Pick<AnnouncedRow, 'name' | 'freeSlots' | 'listed' | 'reason'>;

export const timeText = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

export const faultStatus = (fault: ActiveFault | null): FaultStatus | null =>
  fault && { kind: fault.kind, message: fault.message, since: new Date(fault.since).toISOString() };
