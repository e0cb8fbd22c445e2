import type { Connection, Stream } from '@libp2p/interface';
import type { SignedDocument } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { TrustError, type TrustState } from '@mesh-registry/protocol/truth/trust.ts';
import { Channel, MalformedError } from '../session/channel.ts';
import type { PeerContext } from '../context.ts';
import { putNewest } from '../base/collections.ts';
import { LIMITS, POINTS } from '../base/limits.ts';
import { TRUTH, TruthAnswer, TruthRequest, type Have } from '../session/messages.schema.ts';
import type { Session } from '../session/session.ts';
import type { Uploads } from './uploads.ts';

/** A peer may give no answer once in so long, milliseconds: that may be the line, or a machine that is busy. */
const EXCUSED_MS = 3_600_000;
/** Peers that were excused and are remembered. */
const EXCUSED_MAX = 1000;

interface TruthSyncOptions {
  uploads: Uploads;
  /** Is called when root or truth have changed, before any other peer is told. */
  onTruth: () => void;
}

/** The signed truth, passed on from peer to peer: who has less asks who has more. */
export class TruthSync {
  readonly #fetching = new Map<Session, Promise<void>>();
  /** When a peer was excused, by a monotonic clock, the one of longest ago first. */
  readonly #excused = new Map<string, number>();

  constructor(
    private readonly context: PeerContext,
    private readonly options: TruthSyncOptions,
  ) {}

  /** A peer has said what it has. */
  follow(session: Session): void {
    const ours = this.context.have();
    const { root, truth } = session.have;
    if (isPromising(session, ours)) void this.#fetch(session);
    else if (root < ours.root || truth < ours.truth) session.tell(ours);
  }

  /** Asks two peers at random: those that say they have nothing newer might keep it from us. */
  refresh(): void {
    for (const session of this.context.sessions.shuffled().slice(0, 2)) void this.#fetch(session);
  }

  /** Asks a peer now. */
  ask(session: Session): Promise<void> {
    const known = this.#fetching.get(session);
    if (known) return known;
    const fetching = this.#askOnce(session).finally(() => this.#fetching.delete(session));
    this.#fetching.set(session, fetching);
    return fetching;
  }

  async #fetch(session: Session): Promise<void> {
    const inbound = [...this.#fetching.keys()].filter(({ outbound }) => !outbound);
    if (!session.outbound && inbound.length >= LIMITS.inboundFetches) return;
    await this.ask(session);
    const ours = this.context.have();
    const [next] = [...this.context.sessions]
      .filter((other) => isPromising(other, ours) && !this.#fetching.has(other))
      .sort((one, other) => one.distance - other.distance);
    if (next) void this.#fetch(next);
  }

  async #askOnce(session: Session): Promise<void> {
    const promised = session.have;
    const isNew = isPromising(session, this.context.have());
    let kept: boolean | null = null;
    try {
      kept = await this.#request(session, promised);
    } catch (error) {
      if (error instanceof MalformedError)
        this.context.punish(session, POINTS.malformed, error.message);
    }
    if (!isMore(promised, this.context.have()) || session.ended.aborted) return;
    // A peer that has promised nothing new since it was asked last is not blamed for the same slow line again.
    if (kept === false || (kept === null && isNew && !this.#excuse(session.peer)))
      this.context.punish(session, POINTS.emptyPromise, 'promised a newer truth');
    session.disappointments++;
    session.fruitless = {
      root: Math.max(promised.root, session.fruitless.root),
      truth: Math.max(promised.truth, session.fruitless.truth),
    };
  }

  /** @returns whether this is the first time in an hour */
  #excuse(peer: string): boolean {
    const now = performance.now();
    if (now - (this.#excused.get(peer) ?? -Infinity) < EXCUSED_MS) return false;
    putNewest(this.#excused, peer, now, EXCUSED_MAX);
    return true;
  }

  /**
   * @returns whether it gave what it had promised: that this is not believed may be no fault of its own; null: its roots
   * do not follow ours, so nobody can tell here
   * @throws MalformedError, or what ended the stream or the waiting
   */
  async #request(session: Session, promised: Have): Promise<boolean | null> {
    const { trust } = this.context;
    const stream = await session.connection.newStream(TRUTH, { signal: answerTimeout() });
    const channel = new Channel(stream, LIMITS.truthBytes);
    try {
      for (;;) {
        const before = trust.root.version;
        await channel.send({ root: before });
        const answer = await channel.receive(TruthAnswer, answerTimeout());
        this.take(answer, session);
        // There may be more, and the truth may be signed by keys of these.
        if (trust.root.version > before) continue;
        const [next] = answer.roots.map(versionOf);
        if (next !== undefined && next > before + 1) return null;
        const root = Math.max(before, ...answer.roots.map(versionOf));
        return root >= promised.root && versionOf(answer.truth) >= promised.truth;
      }
    } finally {
      // A stream that is not aborted stays open for as long as the other side likes.
      channel.abort('answered, or no answer');
    }
  }

  /**
   * Believes what is newer: the same checks for what a peer, the operator's file or the disk brings.
   * @param from the peer that brought it; undefined: the operator
   * @returns whether something changed
   */
  take({ roots, truth }: TrustState, from?: Session): boolean {
    const { trust } = this.context;
    let changed = false;
    let document: SignedDocument | null = null;
    const before = trust.root.version;
    try {
      for (document of roots) changed = trust.takeRoot(document) || changed;
      // Its keys may be those of a root that is still to come: of one that the peer says it has, or that did not fit into
      // this answer. After an answer with new roots it is asked again.
      const known = trust.root.version;
      const isEarly = from !== undefined && (from.have.root > known || known > before);
      document = isEarly ? null : truth;
      if (document) changed = trust.takeTruth(document) || changed;
    } catch (error) {
      if (!(error instanceof TrustError) || !document) throw error;
      if (error.reason === 'fork')
        // The signers' fault, not the carrier's.
        this.context.alarm('truth_fork', error.message, Buffer.from(JSON.stringify(document)));
      this.#refuse(error, document, from);
    }
    if (changed) this.options.onTruth();
    return changed;
  }

  /** An honest peer may carry what has expired, what is older, or what is signed by keys that a newer root has removed. */
  #refuse({ reason }: TrustError, document: SignedDocument, from: Session | undefined): void {
    const { emit, punish, trust } = this.context;
    emit({ kind: 'truth_refused', from: from?.peer ?? 'operator', reason });
    const isForged =
      reason === 'malformed' ||
      reason === 'network' ||
      (reason === 'signature' && !trust.wasSigned(document));
    if (from && isForged) punish(from, POINTS.forged, `truth: ${reason}`);
  }

  async serve(stream: Stream, connection: Connection): Promise<void> {
    const channel = new Channel(stream, LIMITS.truthBytes, LIMITS.requestBytes);
    const session = this.context.sessions.on(connection);
    try {
      while (session?.messages.take(LIMITS.truthRequestCost)) {
        await session.budget.untilTaken('messages', LIMITS.truthRequestCost, channel.ended);
        const { root } = await channel.receive(TruthRequest, answerTimeout());
        await channel.sendBytes(
          await this.options.uploads.next(session.budget, channel.ended, () =>
            this.#answerTo(root),
          ),
        );
      }
      channel.abort('no session, or too many requests');
    } catch (error) {
      if (session && error instanceof MalformedError)
        this.context.punish(session, POINTS.malformed, error.message);
      channel.abort('truth');
    }
  }

  /** The roots after one, as many as fit, and the truth. */
  #answerTo(root: number): Uint8Array {
    const { trust } = this.context;
    const { truth } = trust.state;
    const roots = trust.rootsAfter(root).slice(0, LIMITS.rootsPerAnswer);
    for (;;) {
      const answer = Buffer.from(JSON.stringify({ roots, truth }));
      // With a long truth fewer roots fit.
      if (roots.length <= 1 || answer.byteLength <= LIMITS.truthBytes) return answer;
      roots.pop();
    }
  }
}

const answerTimeout = () => AbortSignal.timeout(LIMITS.answerMs);

/** Whether a peer says that it has more than we have, and than what it could not convince us of. */
const isPromising = ({ have, fruitless }: Session, ours: Have): boolean =>
  have.root > Math.max(ours.root, fruitless.root) ||
  have.truth > Math.max(ours.truth, fruitless.truth);

const isMore = (one: Have, other: Have): boolean =>
  one.root > other.root || one.truth > other.truth;

/** What a root or a truth says its version is, believed or not; 0: none, or no such document. */
function versionOf(document: TrustState['truth']): number {
  try {
    const content: unknown = JSON.parse(Buffer.from(document?.payload ?? '', 'base64').toString());
    return Number((content as { version?: unknown }).version) || 0;
  } catch {
    return 0;
  }
}
