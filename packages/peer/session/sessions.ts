import { LIMITS } from '../base/limits.ts';
import { countBy, shuffle } from '../base/collections.ts';
import type { Session } from './session.ts';

/** How long a peer has to read why it is dismissed, milliseconds. */
const FAREWELL_MS = 500;
/** How long closing a connection may take, milliseconds. */
const CLOSING_MS = 500;

/** Closes a connection, after what was sent on it. */
export function closeConnection(connection: Session['connection']): void {
  connection
    .close({ signal: AbortSignal.timeout(CLOSING_MS) })
    .catch((error: unknown) => connection.abort(error as Error));
}

/** How long a peer may stay: as long as it likes, or for a short visit. */
export type Place = 'resident' | 'visitor';

/** How many sessions others may begin. */
export interface Places {
  residents: number;
  /** Once all those places are taken. */
  visitors: number;
  /** How long a visit is, milliseconds. */
  visitMs: number;
}

/**
 * The places of those who come in.
 * @param inbound sessions that others may begin; an eighth of them, `LIMITS.visitors` at most, are for visitors
 * @param visitMs how long a visit is
 */
export function placesOf(inbound: number, visitMs: number): Places {
  const visitors = Math.min(LIMITS.visitors, Math.floor(Math.max(0, inbound) / 8));
  return { residents: Math.max(0, inbound) - visitors, visitors, visitMs };
}

/** The sessions of a peer: at most one with each other peer. */
export class Sessions implements Iterable<Session> {
  readonly #byPeer = new Map<string, Session>();

  /** @param self its own id */
  constructor(
    private readonly self: string,
    private readonly places: Places,
    private readonly onEnd: (session: Session, reason: string) => void,
  ) {}

  get size(): number {
    return this.#byPeer.size;
  }

  get outbound(): Session[] {
    return [...this].filter((session) => session.outbound);
  }

  [Symbol.iterator](): Iterator<Session> {
    return this.#byPeer.values();
  }

  get(peer: string): Session | undefined {
    return this.#byPeer.get(peer);
  }

  /** The session that a stream belongs to: of the peer, and on this connection. */
  on(connection: Session['connection']): Session | undefined {
    const session = this.#byPeer.get(connection.remotePeer.toString());
    return session?.connection === connection ? session : undefined;
  }

  /**
   * Of two connections that were dialled at the same time both sides keep that of the smaller id; of two by the same
   * side, the newer.
   * @param place see {@link Sessions.placeFor}; another session with the peer leaves its own
   * @returns false if another session with the peer stays
   */
  add(session: Session, place: Place = 'resident'): boolean {
    const other = this.#byPeer.get(session.peer);
    const { visitMs } = this.places;
    if (place === 'visitor') session.visitUntil = performance.now() + visitMs;
    if (other) {
      if (other.outbound !== session.outbound && this.#dialer(other) < this.#dialer(session))
        return false;
      if (!session.outbound) session.visitUntil = other.visitUntil;
      this.end(other, 'duplicate');
    }
    this.#byPeer.set(session.peer, session);
    if (session.visitUntil !== null)
      setTimeout(() => this.#endVisit(session), session.visitUntil - performance.now()).unref();
    return true;
  }

  #dialer({ outbound, peer }: Session): string {
    return outbound ? this.self : peer;
  }

  /** Ends a session without telling the peer why. @param reason for the event */
  end(session: Session, reason: string): void {
    if (this.#remove(session, reason)) closeConnection(session.connection);
  }

  /**
   * Ends a session and tells the peer why. The connection stays for a moment: where something has come that nobody reads
   * any more, TCP resets a connection that is closed, and the other side loses what it has not read yet.
   */
  dismiss(session: Session, code: string, reason = code): void {
    if (this.get(session.peer) !== session) return;
    session.send({ t: 'bye', code });
    this.#remove(session, reason);
    setTimeout(() => closeConnection(session.connection), FAREWELL_MS).unref();
  }

  #remove(session: Session, reason: string): boolean {
    if (this.#byPeer.get(session.peer) !== session) return false;
    this.#byPeer.delete(session.peer);
    session.end();
    this.onEnd(session, reason);
    return true;
  }

  /** All sessions in random order. */
  shuffled(): Session[] {
    return shuffle([...this], Math.random);
  }

  /**
   * The place of a peer that comes in from a network group. If all places are taken, the youngest session of the most
   * crowded group gives way to one from a group with at least two fewer: who has many addresses in one network cannot fill
   * all places. Otherwise it may visit: a newcomer to a network in which all are full still learns of others, and what is
   * true. Sessions that this peer has begun itself are not counted: no crowd can take their places.
   * @returns null: there is no room
   */
  placeFor(group: string): Place | null {
    if (this.#isRoom || this.#makeRoom(group)) return 'resident';
    const visitors = this.#inbound.filter(({ visitUntil }) => visitUntil !== null);
    const ofGroup = visitors.filter((visitor) => visitor.group === group);
    return visitors.length < this.places.visitors && ofGroup.length < LIMITS.groupVisitors
      ? 'visitor'
      : null;
  }

  get #inbound(): Session[] {
    return [...this].filter((session) => !session.outbound);
  }

  get #residents(): Session[] {
    return this.#inbound.filter(({ visitUntil }) => visitUntil === null);
  }

  get #isRoom(): boolean {
    return this.#residents.length < this.places.residents;
  }

  #makeRoom(group: string): boolean {
    const residents = this.#residents;
    const counts = countBy(residents.map((session) => session.group));
    const [crowded, count] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? ['', 0];
    if (count < (counts.get(group) ?? 0) + 2) return false;
    const youngest = residents.filter((session) => session.group === crowded).at(-1);
    if (!youngest) return false;
    this.dismiss(youngest, 'busy', 'made room');
    return true;
  }

  /** Whoever found room meanwhile stays. */
  #endVisit(session: Session): void {
    if (this.get(session.peer) !== session) return;
    if (this.#isRoom) session.visitUntil = null;
    else this.dismiss(session, 'busy', 'visit is over');
  }
}
