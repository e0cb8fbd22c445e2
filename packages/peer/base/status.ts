/** What a peer tells of itself: for `status`, the live view and the metrics. No field has an address of another peer. */
export interface PeerStatus {
  /** The peer's own ID. */
  peer: string;
  network: string;
  /** ISO 8601, as all times in a status. */
  startedAt: string;
  /** The addresses at which it listens, or that its operator announces. */
  addresses: string[];
  genesis: { configured: number; connected: number };
  sessions: SessionStatus[];
  /** Peers of which it has a record, connected or not. */
  known: number;
  root: { version: number; expires: string };
  truth: { version: number; issued: string; expires: string; bans: number } | null;
  /** There is no truth yet, or the root or the truth has expired and nothing newer has come. */
  stale: boolean;
  /**
   * Height 0: no block yet. Contradicted: the truth names another block than it has, so it is replaced as soon as a peer
   * has the right one.
   */
  log: { height: number; id: string; contradicted: boolean };
  /** How many it has refused or cut since its start, by reason. */
  refusals: Record<string, number>;
  /** How many of the peers that it dialled have refused it within an hour, by the reason they gave last. */
  refusedBy: Record<string, number>;
  alarms: Alarm[];
}

/** What the operator has to look into. */
export interface Alarm {
  /** Forks: somebody with the network's keys has signed two histories. `storage`: the disk has changed what was stored. */
  kind: 'truth_fork' | 'log_fork' | 'storage';
  at: string;
  detail: string;
}

export interface SessionStatus {
  peer: string;
  direction: 'inbound' | 'outbound';
  since: string;
  /** The name and version of its program. */
  agent: string;
  /** Null: not measured yet. */
  rtt: RttStatus | null;
  root: number;
  truth: number;
  height: number;
}

/** Milliseconds. The minimum is the time on the line; the others also show how busy both ends are. */
export interface RttStatus {
  last: number;
  min: number;
  smoothed: number;
  jitter: number;
  count: number;
}
