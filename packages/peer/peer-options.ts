import type { KeyObject } from 'node:crypto';
import type { TrustState } from '@mesh-registry/protocol/truth/trust.ts';
import type { PeerEvent } from './session/events.ts';
import { LIMITS } from './base/limits.ts';
import type { Lookup } from './addresses/resolve.ts';

export interface PeerOptions {
  /** The node's private key. */
  key: KeyObject;
  /** Where everything that outlives the process is kept. */
  directory: string;
  /** The root that the operator trusts, alone or with later ones and a truth. */
  pinned: TrustState;
  /** Multiaddrs to listen at; none: it only dials. */
  listen: readonly string[];
  /** Addresses that others are given instead of `listen`, such as that of a forwarded port. */
  announce?: readonly string[];
  /** Multiaddrs of the bootstrap peers, with /p2p/. */
  genesis: readonly string[];
  /** Name and version of the program, at most 64 characters. */
  agent: string;
  /** How many sessions to dial. */
  outbound?: number;
  /** How many sessions to have, those that it dials included. */
  maxPeers?: number;
  /** Whether to dial and announce private addresses, as a network within a private one needs. */
  privateAddresses?: boolean;
  /** How names become addresses, in place of the system and of its name servers. */
  lookup?: Lookup;
  /** How many connections of one host that come in may be open, and begin in a second. */
  connectionsPerHost?: number;
  connectionsPerHostPerSecond?: number;
  /** How long a batch of blocks may take, milliseconds. */
  batchMs?: number;
  intervals?: Partial<Intervals>;
  onEvent?: (event: PeerEvent) => void;
}

/** How often a peer does what it does by itself, milliseconds. */
export interface Intervals {
  ping: number;
  /** Asking a peer for the peers it knows; five times as often while there is something to learn. */
  gossip: number;
  /** Asking for root and truth, and comparing the log. */
  refresh: number;
  /** Looking for peers to dial. */
  dial: number;
  /** Keeping the address book. */
  save: number;
  /** How long a newcomer stays for whom there is no room. */
  visit: number;
  /** Signing its own record anew. */
  renew: number;
}

export const INTERVALS: Intervals = {
  ping: LIMITS.pingMs,
  gossip: 10_000,
  refresh: 60_000,
  dial: 1000,
  save: 60_000,
  visit: LIMITS.visitMs,
  renew: LIMITS.recordRenewMs,
};
