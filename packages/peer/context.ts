import type { BlockError } from '@mesh-registry/protocol/log/block.ts';
import type { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import type { Distrust, Trust } from '@mesh-registry/protocol/truth/trust.ts';
import type { AddressBook } from './book/address-book.ts';
import type { Alarm } from './base/status.ts';
import type { Party } from './session/handshake.ts';
import type { Have, RefusalCode } from './session/messages.schema.ts';
import type { Session } from './session/session.ts';
import type { Sessions } from './session/sessions.ts';

/** Who has made a fault, and over which connection, which may have ended. */
export type Culprit = Pick<Session, 'peer' | 'connection'>;

/** What the parts of a peer share. */
export interface PeerContext {
  readonly me: Party;
  /** Name and version of this peer's program. */
  readonly agent: string;
  readonly trust: Trust;
  readonly log: BlockLog;
  readonly book: AddressBook;
  readonly sessions: Sessions;
  /** The versions and the height that this peer has. */
  readonly have: () => Have;
  /** Tells every session what this peer has. */
  readonly announce: () => void;
  /** Counts a fault of a peer, and ends the session of one that has made too many. */
  readonly punish: (culprit: Culprit, points: number, why: string) => void;
  /** Keeps the proof of what the operator has to look into, and tells of it. */
  readonly alarm: (kind: Alarm['kind'], detail: string, evidence: Uint8Array) => void;
  readonly emit: (event: PeerEvent) => void;
}

/** What happens in a peer, as it tells whoever runs it. No event has an address. */
export type PeerEvent =
  | { kind: 'connected'; peer: string; direction: 'inbound' | 'outbound' }
  | { kind: 'disconnected'; peer: string; reason: string }
  /** The other peer has refused this one. */
  | { kind: 'refused_by'; peer: string; code: RefusalCode }
  | { kind: 'refused'; peer: string; code: RefusalCode }
  | { kind: 'learned'; known: number }
  /** A newer root or truth is believed. */
  | { kind: 'truth'; root: number; truth: number }
  | { kind: 'truth_refused'; from: string; reason: Distrust }
  | { kind: 'blocks'; added: number; height: number }
  | { kind: 'blocks_refused'; from: string; reason: BlockError['reason'] }
  | { kind: 'fault'; peer: string; points: number; why: string }
  | { kind: 'alarm'; alarm: Alarm }
  /** What it knows cannot be stored, for example because the disk is full. */
  | { kind: 'storage'; message: string };
