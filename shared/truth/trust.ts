import type { z } from 'zod';
import type { SignedDocument } from '../dsse.schema.ts';
import { signersAmong } from '../dsse.ts';
import { Root, ROOT_TYPE, Truth, TRUTH_TYPE, type Ban, type Role } from './truth.schema.ts';

/** Clocks may differ by this much, milliseconds. */
const SKEW_MS = 300_000;

/** Why a document is not believed. */
export type Distrust =
  /** Not JSON of this shape. */
  | 'malformed'
  /** Fewer of the role's keys have signed than have to. */
  | 'signature'
  /** Of another network. */
  | 'network'
  /** A root that is not the next one. */
  | 'gap'
  /** Older than what is believed: its version, its moment, or its log. */
  | 'rollback'
  /** Another document of a version that is believed: somebody has signed two. */
  | 'fork'
  | 'expired'
  /** From the future. */
  | 'future';

export class TrustError extends Error {
  constructor(
    readonly reason: Distrust,
    message: string,
  ) {
    super(message);
    this.name = 'TrustError';
  }
}

/** What has been believed, to be kept on disk: all roots from the pinned one on, and the newest truth. */
export interface TrustState {
  roots: SignedDocument[];
  truth: SignedDocument | null;
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

  /**
   * @param pinned the root that the operator trusts: any version
   * @param now milliseconds since 1970
   * @throws TrustError
   */
  constructor(
    pinned: SignedDocument,
    private readonly now: () => number = Date.now,
  ) {
    const root = read(Root, pinned, 'root');
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
  static restore({ roots: [pinned, ...later], truth }: TrustState, now?: () => number): Trust {
    if (!pinned) throw new TrustError('malformed', 'There is no root.');
    const trust = new Trust(pinned, now);
    for (const root of later) trust.takeRoot(root);
    if (truth) trust.#take(truth, false);
    return trust;
  }

  get root(): Root {
    return this.#root;
  }

  get truth(): Truth | null {
    return this.#truth?.content ?? null;
  }

  get state(): TrustState {
    return { roots: [...this.#roots], truth: this.#truth?.document ?? null };
  }

  /** Whether root or truth have expired, or there is no truth: someone keeps newer ones from this peer, or nobody signs. */
  get stale(): boolean {
    const expired = ({ expires }: { expires: string }) => Date.parse(expires) <= this.now();
    return !this.#truth || expired(this.#root) || expired(this.#truth.content);
  }

  /** The ban of a peer that holds now. */
  banOf(peer: string): Ban | undefined {
    return this.truth?.bans.find(
      (ban) => ban.peer === peer && (ban.until === null || Date.parse(ban.until) > this.now()),
    );
  }

  /** The roots after a version, for a peer that has this one. */
  rootsAfter(version: number): SignedDocument[] {
    const first = this.#root.version - this.#roots.length + 1;
    return this.#roots.slice(Math.max(0, version - first + 1));
  }

  /**
   * Believes the next root. A truth whose keys it no longer names is forgotten, with its version: else a stolen key
   * could have set a version that no honest truth reaches.
   * @returns false if it, or a newer one, is believed already
   * @throws TrustError
   */
  takeRoot(document: SignedDocument): boolean {
    const root = read(Root, document, 'root');
    if (root.version <= this.#root.version) return false;
    if (root.version !== this.#root.version + 1)
      throw new TrustError(
        'gap',
        `Roots are taken one by one: after version ${this.#root.version} comes ${this.#root.version + 1}, not ${root.version}.`,
      );
    requireSigned(document, ROOT_TYPE, this.#root.roles.root, 'The root before does not agree');
    requireSigned(document, ROOT_TYPE, root.roles.root, 'The root is not signed by its own keys');
    this.#requireNetwork(root.network);
    this.#requirePast(root.issued);
    this.#root = root;
    this.#roots.push(document);
    if (this.#truth && !isSigned(this.#truth.document, TRUTH_TYPE, root.roles.truth))
      this.#truth = null;
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
    const truth = read(Truth, document, 'truth');
    const before = this.truth;
    // Before its signature: an honest peer that lags behind may hold a truth whose keys no longer count.
    if (before && truth.version < before.version)
      throw new TrustError(
        'rollback',
        `Version ${truth.version} of the truth is older than ${before.version}, which is believed.`,
      );
    requireSigned(document, TRUTH_TYPE, this.#root.roles.truth, 'The truth is not signed');
    this.#requireNetwork(truth.network);
    if (before && truth.version === before.version) {
      if (sameBytes(document, this.#truth?.document)) return false;
      throw new TrustError('fork', `There are two truths of version ${truth.version}.`);
    }
    if (before && Date.parse(truth.issued) < Date.parse(before.issued))
      throw new TrustError('rollback', 'The truth was issued before the one that is believed.');
    if (before && truth.log.height < before.log.height)
      throw new TrustError(
        'rollback',
        `The log of the truth ends at ${truth.log.height}, before ${before.log.height}.`,
      );
    this.#requirePast(truth.issued);
    if (fresh && Date.parse(truth.expires) <= this.now())
      throw new TrustError('expired', `The truth expired at ${truth.expires}.`);
    this.#truth = { document, content: truth };
    return true;
  }

  #requireNetwork(network: string): void {
    if (network !== this.network)
      throw new TrustError('network', `It is of the network ${network}, not ${this.network}.`);
  }

  #requirePast(issued: string): void {
    if (Date.parse(issued) > this.now() + SKEW_MS)
      throw new TrustError('future', `It was issued at ${issued}, which is in the future.`);
  }
}

function read<T>(schema: z.ZodType<T>, { payload }: SignedDocument, what: string): T {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(payload, 'base64').toString());
  } catch {
    throw new TrustError('malformed', `The ${what} is not JSON.`);
  }
  const result = schema.safeParse(content);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.');
  throw new TrustError('malformed', `The ${what}: ${field ? `${field} ` : ''}${issue?.message}.`);
}

const isSigned = (document: SignedDocument, type: string, { keys, threshold }: Role): boolean =>
  signersAmong(document, type, keys).size >= threshold;

function requireSigned(document: SignedDocument, type: string, role: Role, problem: string): void {
  if (document.payloadType !== type)
    throw new TrustError('malformed', `Its payloadType must be ${type}.`);
  const { size } = signersAmong(document, type, role.keys);
  if (size < role.threshold)
    throw new TrustError(
      'signature',
      `${problem}: ${size} of ${role.threshold} signatures that are needed.`,
    );
}

/** Base64 has several spellings of the same bytes. */
const sameBytes = (one: SignedDocument, other: SignedDocument | undefined): boolean =>
  other !== undefined &&
  Buffer.from(one.payload, 'base64').equals(Buffer.from(other.payload, 'base64'));
