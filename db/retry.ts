import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { onLimit } from './limit.ts';

/**
 * What the database may do to a statement that is worth another try, and what a client is told when
 * it stays away. Matched by SQLSTATE or the driver's code, never by a message or a constraint's name.
 */
const TRANSIENT = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '53300', // too many connections
  '57P01', // the server is shutting down
  '57P02', // the server crashed
  '57P03', // the server is starting up
  '57014', // the statement's time limit
  '25P03', // the transaction idled out
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // a unix socket that is not there yet
]);

/** The SQLSTATE or driver code of an error; drizzle puts the driver's error under `cause`. */
export function databaseCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string' && !isAppError(at)) return at.code;
  return undefined;
}

export function isTransient(error: unknown): boolean {
  const code = databaseCode(error);
  return code !== undefined && (TRANSIENT.has(code) || code.startsWith('08'));
}

/** Longest a statement or transaction may take with waiting for a connection, milliseconds. Its connection is cut then. */
export const UNIT_LIMIT_MS = 2500;
/** Longest a request waits for the database, retries included, milliseconds. */
const DEADLINE_MS = 4200;
const PAUSES_MS = [50, 250];
/** What a client is asked to wait after a 503, seconds. */
export const RETRY_AFTER_S = 2;

export interface Attempt {
  /** The deadline has passed and the caller was told so: nothing more may be begun. */
  readonly late: boolean;
}

/**
 * Runs a unit of work that is safe to repeat (one transaction, or one statement that says the same
 * twice), and repeats it when the database asks for it. Not in the end of the time: what is begun
 * ends before the deadline, so that nothing goes on which the caller believes to have failed.
 * @throws AppError `unavailable` when the database stays away or does not answer in time; any other
 *   error as it was.
 */
export async function withRetry<T>(work: (attempt: Attempt) => Promise<T>): Promise<T> {
  const deadline = new Deadline();
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        return await Promise.race([work(deadline), deadline.passed]);
      } catch (error) {
        const pause = PAUSES_MS[attempt];
        if (!isTransient(error)) throw error;
        if (pause === undefined || deadline.remaining() < pause + UNIT_LIMIT_MS)
          throw unavailable(error);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  } finally {
    deadline.clear();
  }
}

export function unavailable(cause?: unknown): AppError {
  return new AppError(
    'unavailable',
    `The database is away for the moment. Try again in ${RETRY_AFTER_S} seconds.`,
    { retryAfter: RETRY_AFTER_S, cause },
  );
}

class Deadline implements Attempt {
  late = false;
  readonly passed: Promise<never>;
  readonly clear: () => void;
  readonly #at = performance.now() + DEADLINE_MS;

  constructor() {
    let clear = () => {};
    this.passed = new Promise((_, reject) => {
      clear = onLimit(DEADLINE_MS, () => {
        this.late = true;
        reject(unavailable());
      });
    });
    // Nobody may be waiting on it when it passes.
    this.passed.catch(() => undefined);
    this.clear = clear;
  }

  /** Milliseconds. */
  remaining(): number {
    return this.#at - performance.now();
  }
}
