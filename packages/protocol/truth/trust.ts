import { CLOCK_SKEW_MS } from '../keys/node-key.schema.ts';
import type { SignedDocument } from '../keys/dsse.schema.ts';
import {
  isSigned,
  readRoot,
  readTruth,
  requireSigned,
  sameBytes,
  TrustError,
} from './documents.ts';
import { ROOT_TYPE, TRUTH_TYPE, type Ban, type Root, type Truth } from './truth.schema.ts';

export { TrustError, type Distrust } from './documents.ts';

/** What has been believed, to be kept on disk: all roots from the pinned one on, and the newest truth. */
export interface TrustState {
  roots: SignedDocument[];
  truth: SignedDocument | null;
  /** While there is no truth: the one before, whose keys a later root has disowned. Its bans still hold. */
  former?: SignedDocument | undefined;
}

interface Believed<T> {
  document: SignedDocument;
  content: T;
}

/**
 * What a peer believes. It begins with a root that its operator has pinned; from then on every root has to be signed
 * by the one before, every truth by the keys that the newest root names, and nothing goes back.
 */
export class Trust {
  readonly network: string;
  readonly #roots: SignedDocument[];
  #root: Root;
  #truth: Believed<Truth> | null = null;
  /** The truth before, until there is a new one. */
  #former: SignedDocument | undefined;
  /** Of the truth or the one before, by peer: there may be thousands, and every peer of the network is looked up. */
  #bans = new Map<string, Ban[]>();

  /**
   * @param pinned the root that the operator trusts: any version
   * @param now milliseconds since 1970
   * @throws TrustError
   */
  constructor(
    pinned: SignedDocument,
    private readonly now: () => number = Date.now,
  ) {
    const root = readRoot(pinned);
    requireSigned(pinned, ROOT_TYPE, root.roles.root, 'The root is not signed by its own keys');
    this.network = root.network;
    this.#root = root;
    this.#roots = [pinned];
  }

  /**
   * What was believed before, checked again. That it has expired meanwhile does not matter: a node that was stopped
   * for long must not believe what is even older.
   * @throws TrustError
   */
  static restore(
    { roots: [pinned, ...later], truth, former }: TrustState,
    now?: () => number,
  ): Trust {
    if (!pinned) throw new TrustError('malformed', 'There is no root.');
    const trust = new Trust(pinned, now);
    for (const root of later) trust.takeRoot(root);
    if (truth) trust.#take(truth, false);
    else if (former) trust.#takeFormer(former);
    return trust;
  }

  get root(): Root {
    return this.#root;
  }

  get truth(): Truth | null {
    return this.#truth?.content ?? null;
  }

  get state(): TrustState {
    return {
      roots: [...this.#roots],
      truth: this.#truth?.document ?? null,
      ...(this.#former && { former: this.#former }),
    };
  }

  /** Whether root or truth have expired, or there is no truth: someone keeps newer ones from this peer, or nobody signs. */
  get stale(): boolean {
    const expired = ({ expires }: { expires: string }) => Date.parse(expires) <= this.now();
    return !this.#truth || expired(this.#root) || expired(this.#truth.content);
  }

  /** The ban of a peer that holds now. */
  banOf(peer: string): Ban | undefined {
    return this.#bans
      .get(peer)
      ?.find(({ until }) => until === null || Date.parse(until) > this.now());
  }

  /** The roots after a version, for a peer that has this one. */
  rootsAfter(version: number): SignedDocument[] {
    const first = this.#root.version - this.#roots.length + 1;
    return this.#roots.slice(Math.max(0, version - first + 1));
  }

  /**
   * Whether keys that an earlier root named have signed a truth: it counts no more, but who has not heard of the newest
   * root believes it.
   */
  wasSigned(truth: SignedDocument): boolean {
    return this.#roots
      .slice(0, -1)
      .some((root) => isSigned(truth, TRUTH_TYPE, readRoot(root).roles.truth));
  }

  /**
   * Believes the next root. A truth whose keys it no longer names is forgotten, with its version: else a stolen key
   * could have set a version that no honest truth reaches. Its bans hold until there is a new truth: else a root alone
   * would let everybody in again.
   * @returns false if it, or a newer one, is believed already
   * @throws TrustError
   */
  takeRoot(document: SignedDocument): boolean {
    const root = readRoot(document);
    if (root.version <= this.#root.version) return false;
    this.#requireNext(root);
    requireSigned(document, ROOT_TYPE, this.#root.roles.root, 'The root before does not agree');
    requireSigned(document, ROOT_TYPE, root.roles.root, 'The root is not signed by its own keys');
    this.checkRoot(root);
    this.#root = root;
    this.#roots.push(document);
    if (this.#truth && !isSigned(this.#truth.document, TRUTH_TYPE, root.roles.truth)) {
      this.#former = this.#truth.document;
      this.#truth = null;
    }
    return true;
  }

  /**
   * Believes a newer truth.
   * @returns false if it is believed already
   * @throws TrustError
   */
  takeTruth(document: SignedDocument): boolean {
    return this.#take(document, true);
  }

  #take(document: SignedDocument, fresh: boolean): boolean {
    const truth = readTruth(document);
    // Checked before the signature, because an honest peer that lags behind may have a truth whose keys no longer count.
    this.#requireNotOlder(truth);
    requireSigned(document, TRUTH_TYPE, this.#root.roles.truth, 'The truth is not signed');
    if (truth.version === this.truth?.version) {
      this.#requireNetwork(truth.network);
      if (sameBytes(document, this.#truth?.document)) return false;
      throw new TrustError('fork', `There are two truths of version ${truth.version}.`);
    }
    this.#requireFollows(truth);
    if (fresh) this.#requireFresh(truth);
    this.#believe({ document, content: truth });
    return true;
  }

  /**
   * Whether a root could be the next one, whoever has signed it: for those who are about to sign.
   * @throws TrustError
   */
  checkRoot(root: Root): void {
    this.#requireNext(root);
    this.#requireNetwork(root.network);
    this.#requirePast(root.issued);
  }

  /** Whether a truth could be a newer one, whoever has signed it. @throws TrustError */
  checkTruth(truth: Truth): void {
    this.#requireNotOlder(truth);
    if (truth.version === this.truth?.version)
      throw new TrustError(
        'rollback',
        `Version ${truth.version} of the truth is believed already.`,
      );
    this.#requireFollows(truth);
    this.#requireFresh(truth);
  }

  #requireNext({ version }: Root): void {
    const next = this.#root.version + 1;
    if (version !== next)
      throw new TrustError(
        'gap',
        `Roots are taken one by one: after version ${next - 1} comes ${next}, not ${version}.`,
      );
  }

  #requireNotOlder({ version }: Truth): void {
    const believed = this.truth?.version ?? 0;
    if (version < believed)
      throw new TrustError(
        'rollback',
        `Version ${version} of the truth is older than ${believed}, which is believed.`,
      );
  }

  #requireFollows(truth: Truth): void {
    const before = this.truth;
    this.#requireNetwork(truth.network);
    if (before && Date.parse(truth.issued) < Date.parse(before.issued))
      throw new TrustError('rollback', 'The truth was issued before the one that is believed.');
    if (before && truth.log.height < before.log.height)
      throw new TrustError(
        'rollback',
        `The log of the truth ends at ${truth.log.height}, before ${before.log.height}.`,
      );
    this.#requirePast(truth.issued);
  }

  #requireFresh({ expires }: Truth): void {
    if (Date.parse(expires) <= this.now())
      throw new TrustError('expired', `The truth expired at ${expires}.`);
  }

  #believe(truth: Believed<Truth>): void {
    this.#truth = truth;
    this.#former = undefined;
    this.#ban(truth.content.bans);
  }

  #takeFormer(document: SignedDocument): void {
    const { bans } = readTruth(document);
    if (!this.wasSigned(document))
      throw new TrustError(
        'signature',
        'The truth before is not signed by keys of an earlier root.',
      );
    this.#former = document;
    this.#ban(bans);
  }

  #ban(bans: readonly Ban[]): void {
    this.#bans = new Map();
    for (const ban of bans) this.#bans.set(ban.peer, [...(this.#bans.get(ban.peer) ?? []), ban]);
  }

  #requireNetwork(network: string): void {
    if (network !== this.network)
      throw new TrustError('network', `It is of the network ${network}, not ${this.network}.`);
  }

  #requirePast(issued: string): void {
    if (Date.parse(issued) > this.now() + CLOCK_SKEW_MS)
      throw new TrustError('future', `It was issued at ${issued}, which is in the future.`);
  }
}
