import { SIGNATURE_MAX_SKEW_S } from '@mesh-registry/protocol/keys/node-key.schema.ts';
import { AppError } from '#server/common/errors.schema.ts';

/** How the check of a signature ended, for the metrics. */
export type SignatureOutcome =
  | 'verified'
  | 'malformed'
  | 'wrong'
  | 'clock'
  | 'replayed'
  /** There is none, or by another key than the pinned one. */
  | 'required';

/** Whether a signature is of these minutes, and how its check ended. */
export class Freshness {
  /** Seconds since 1970. Until it is known, everything was signed before. */
  #startedAt = Infinity;

  /** @param clock milliseconds since 1970 */
  constructor(
    private readonly clock: () => number,
    private readonly onOutcome: (outcome: SignatureOutcome) => void,
  ) {}

  /** The server starts now: its clock has been set by the database's. */
  start(): void {
    this.#startedAt = Math.floor(this.clock() / 1000);
  }

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
   * Refuses what was signed before this server started: a database that was restored has forgotten what was used since its
   * backup. @throws AppError `signature_invalid`
   */
  requireSinceStart(created: number): void {
    if (created >= this.#startedAt) return;
    throw this.refusal(
      'clock',
      'This was signed before the service started. Sign it again; if your clock is slow, set it first.',
    );
  }

  /** A signature counts. */
  accept(): void {
    this.onOutcome('verified');
  }

  /** The error for a signature that does not count. */
  refusal(outcome: Exclude<SignatureOutcome, 'verified' | 'required'>, message: string): AppError {
    this.onOutcome(outcome);
    return new AppError('signature_invalid', message);
  }
}
