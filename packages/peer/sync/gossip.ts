import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PeerContext } from '../context.ts';
import { CAPABILITIES, LIMITS, POINTS } from '../base/limits.ts';
import { Line } from '../base/token-bucket.ts';
import type { Hello } from '../session/messages.schema.ts';
import { readClaim, RecordError, signRecord } from '../records/peer-record.ts';
import type { Session } from '../session/session.ts';

/** Milliseconds before the same peer is asked again: a request takes as much of its rate for us as ten messages. */
const REST_MS = 5000;
/** Records that are read before the event loop has its turn: half a message, and some milliseconds of work. */
const SLICE_RECORDS = LIMITS.recordsPerMessage / 2;
/** Bytes of a message around its records. */
const ENVELOPE_BYTES = 64;

type Envelope = NonNullable<Hello['record']>;

/** As many of the records as one message can have: some peers may have signed long ones. */
function fitting(records: readonly Envelope[]): Envelope[] {
  let left = LIMITS.controlBytes - ENVELOPE_BYTES;
  return records.filter((record) => (left -= JSON.stringify(record).length + 1) >= 0);
}

/** Who is where: signed records of peers, passed on from peer to peer. */
export class Gossip {
  #own: Envelope | null = null;
  #seq = 0;
  /** It has learned of a peer since it asked last. */
  #learns = false;
  readonly #askedAt = new WeakMap<Session, number>();
  /** Who has a record to be read. */
  readonly #line = new Line();
  /** How many were read. */
  #read = 0;

  /** @param addresses where others reach this peer; none: they do not */
  constructor(
    private readonly context: PeerContext,
    private readonly addresses: () => string[],
  ) {}

  /** Its own record; null: others cannot reach it. */
  get own(): Envelope | null {
    return this.#own;
  }

  /** Signs its record anew, and tells everyone. */
  renew(): void {
    const { me, trust, sessions } = this.context;
    const now = Date.now();
    const addrs = this.addresses();
    // Grows over restarts too: they do not happen within a millisecond.
    this.#seq = Math.max(this.#seq + 1, now);
    this.#own =
      addrs.length === 0
        ? null
        : signRecord(
            {
              network: trust.network,
              peer: me.id,
              seq: this.#seq,
              expires: new Date(now + LIMITS.recordMs).toISOString(),
              addrs,
              caps: CAPABILITIES,
            },
            me.key,
          );
    if (this.#own)
      for (const session of sessions) session.send({ t: 'peers', records: [this.#own] });
  }

  /**
   * Believes what the subjects of the records have signed, whoever brings them, and passes on what is new. However many
   * sessions bring some, other work has its turn after a few of them.
   */
  async take(records: readonly Envelope[], from: Session): Promise<void> {
    const { book, sessions, punish } = this.context;
    const fresh: Envelope[] = [];
    try {
      for (const record of records) {
        const claim = readClaim(record);
        if (book.knows(claim)) continue;
        await this.#line.join(() => this.#slice());
        if (from.ended.aborted) break;
        if (this.#learn(record, from, claim)) fresh.push(record);
      }
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      // The rest of the message is as bad, or will come again from others.
      punish(from, POINTS.badRecord, error.message);
    }
    if (fresh.length === 0) return;
    const others = sessions.shuffled().filter((session) => session !== from);
    const passed = fitting(fresh);
    for (const session of others.slice(0, LIMITS.recordFanout)) session.pass(passed);
  }

  /** Resolves when a record may be read. */
  async #slice(): Promise<void> {
    if (this.#read++ % SLICE_RECORDS === 0) await nextTurn();
  }

  #learn(record: Envelope, from: Session, claim: unknown): boolean {
    const { book, emit } = this.context;
    const result = book.take(record, from.group, claim);
    if (result === 'new') {
      this.#learns = true;
      emit({ kind: 'learned', known: book.size });
    }
    return result !== 'ignored';
  }

  /** Records that tell a peer of others, and of this one: as many as go into one message. */
  sampleFor(peer: string): Envelope[] {
    const others = this.context.book.sample(LIMITS.recordsPerMessage - 1, peer);
    return fitting(this.#own ? [this.#own, ...others] : others);
  }

  /** Asks a peer for those it knows. */
  askOf(session: Session): void {
    this.#askedAt.set(session, performance.now());
    session.askForPeers();
  }

  /** Asks one of the peers. */
  ask(): void {
    this.#learns = false;
    const [session] = this.context.sessions.shuffled();
    if (!session) return;
    this.askOf(session);
    session.tell(this.context.have());
  }

  /** Asks again if the last answer brought news of a peer: there may be more to learn. */
  askAgain(): void {
    if (!this.#learns) return;
    const now = performance.now();
    const rested = this.context.sessions
      .shuffled()
      .find((session) => now - (this.#askedAt.get(session) ?? 0) >= REST_MS);
    if (!rested) return;
    this.#learns = false;
    this.askOf(rested);
  }
}
