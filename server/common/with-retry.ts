import type { Db } from '#db/client.ts';
import { isStorageFull, isTransient } from '#db/connection/errors.ts';
import { onTimeout, UNIT_TIMEOUT_MS } from '#db/connection/timeout.ts';
import { AppError } from './errors.schema.ts';

/** Longest a request waits for the database, retries included, milliseconds. */
const REQUEST_TIMEOUT_MS = 4200;
/** Pauses before the second and the third attempt, milliseconds. */
const PAUSES_MS = [50, 250];
/** How long a 503 asks the client to wait, seconds. */
export const RETRY_AFTER_S = 2;

export interface Attempt {
  /** The request has timed out and its caller has been told so: start nothing more. */
  readonly late: boolean;
}

/**
 * Runs a unit of work that is safe to repeat (one transaction, or one idempotent statement) and repeats it after
 * a transient error. No attempt starts that could outlast the request: otherwise the caller would be told that
 * work failed which then succeeds.
 * @throws AppError `unavailable` if the database stays unavailable or does not answer in time, `storage_full` if it has
 *   no space; any other error unchanged
 */
export async function withRetry<T>(work: (attempt: Attempt) => Promise<T>): Promise<T> {
  const endsAt = performance.now() + REQUEST_TIMEOUT_MS;
  const request = { late: false };
  let clear = () => {};
  const timeout = new Promise<never>((_, reject) => {
    clear = onTimeout(REQUEST_TIMEOUT_MS, () => {
      request.late = true;
      reject(unavailable());
    });
  });
  // It may pass while nobody waits for it.
  timeout.catch(() => undefined);
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        return await Promise.race([work(request), timeout]);
      } catch (error) {
        const pause = PAUSES_MS[attempt];
        if (isStorageFull(error)) throw storageFull(error);
        if (!isTransient(error)) throw error;
        if (pause === undefined || endsAt - performance.now() < pause + UNIT_TIMEOUT_MS)
          throw unavailable(error);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  } finally {
    clear();
  }
}

/** Runs a transaction as {@link withRetry} does. @throws AppError `unavailable`, `storage_full`; what `work` throws */
export const inTransaction = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  withRetry(() => db.transaction(work));

/** The answer to a client while the database is unavailable. */
export function unavailable(cause?: unknown): AppError {
  return new AppError(
    'unavailable',
    `The database is temporarily unavailable. Try again in ${RETRY_AFTER_S} seconds.`,
    { retryAfter: RETRY_AFTER_S, cause },
  );
}

/** How long a 503 asks the client to wait while somebody has to make room, seconds. */
const STORAGE_RETRY_AFTER_S = 30;

/** The answer to a client while the database has no space for what it sends. */
export const storageFull = (cause: unknown): AppError =>
  new AppError(
    'storage_full',
    `The service has no disk space left, so nothing was saved. Try again in ${STORAGE_RETRY_AFTER_S} seconds.`,
    { retryAfter: STORAGE_RETRY_AFTER_S, cause },
  );
