import type { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import type { AddressBook } from './book/address-book.ts';
import type { PeerEvent } from './session/events.ts';
import type { Party } from './session/handshake.ts';
import type { Have } from './session/messages.schema.ts';
import type { Sessions } from './session/sessions.ts';

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
  readonly punish: (peer: string, points: number, why: string) => void;
  readonly emit: (event: PeerEvent) => void;
}
