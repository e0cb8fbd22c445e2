import { SIGNATURE_MAX_SKEW_S } from '@mesh-registry/protocol/keys/node-key.schema.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { fingerprintOf, NonceMemory, type Fingerprint } from './nonce-memory.ts';

/** How the check of a signature ended, for the metrics. */
export type SignatureOutcome =
  | 'verified'
  | 'malformed'
  | 'wrong'
  | 'clock'
  | 'replayed'
  /** There is none, or by another key than the pinned one. */
  | 'required';

/** Whether a signature is of these minutes and was not used before. */
export class Freshness {
  readonly #nonces = new NonceMemory();

  constructor(
    /** Milliseconds since 1970. */
    private readonly clock: () => number,
    private readonly onOutcome: (outcome: SignatureOutcome) => void,
    /** Called with each nonce that is used. */
    private readonly onSpent: (nonce: Fingerprint, created: number) => void = () => {},
  ) {}

  /**
   * @param created seconds since 1970
   * @param expires the same; from then on the signer itself no longer wants it accepted
   * @throws AppError `signature_invalid`
   */
  requireRecent(created: number, expires = Infinity): void {
    const now = this.clock() / 1000;
    const ageS = Math.round(now - created);
    if (expires < now)
      throw this.refusal('clock', 'The signature has expired. Sign each request anew.');
    if (Math.abs(ageS) <= SIGNATURE_MAX_SKEW_S) return;
    throw this.refusal(
      'clock',
      `The signature was made ${Math.abs(ageS)} s ${ageS > 0 ? 'ago' : 'in the future'} by our clock; at most ${SIGNATURE_MAX_SKEW_S} s are accepted. Set the clock of your machine.`,
    );
  }

  /**
   * Counts a nonce as used. Call it once the signature is verified: nobody else may use up the nonces of a key.
   * @param parts what identifies the nonce: the key and the nonce
   * @param request what it was used for; used again for the same, it is a retry
   * @throws AppError `signature_invalid`, `unavailable` (more than can be remembered)
   */
  spend(created: number, parts: string[], request?: string): void {
    const now = this.clock() / 1000;
    const nonce = fingerprintOf(...parts);
    const outcome = this.#nonces.add(nonce, created, now);
    if (outcome === 'full')
      throw new AppError('unavailable', 'Too many signed requests at the moment. Try again.', {
        retryAfter: 60,
      });
    const use = request === undefined ? null : fingerprintOf(...parts, request);
    if (outcome === 'added' && use) {
      this.#nonces.add(use, created, now);
      this.onSpent(use, created);
    }
    if (outcome === 'known' && !(use && this.#nonces.has(use, created)))
      throw this.refusal(
        'replayed',
        'This nonce was used before. Sign each request anew, with a random nonce.',
      );
    if (outcome === 'added') this.onSpent(nonce, created);
  }

  /** A signature counts. */
  accept(): void {
    this.onOutcome('verified');
  }

  /** How many nonces are remembered. */
  get remembered(): number {
    return this.#nonces.size;
  }

  /** A nonce was used at another server. */
  learn(nonce: Fingerprint, created: number): void {
    this.#nonces.add(nonce, created, this.clock() / 1000);
  }

  /** The error for a signature that does not count. */
  refusal(outcome: Exclude<SignatureOutcome, 'verified' | 'required'>, message: string): AppError {
    this.onOutcome(outcome);
    return new AppError('signature_invalid', message);
  }
}
