import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { AppError } from '#server/common/errors.schema.ts';

/**
 * Hashing a password takes 64 MB and one of the four threads on which Node also reads files: with all of them
 * hashing, no page gets its styles.
 */
export const HASHES_AT_ONCE = 2;
/** How many more can wait, for about two seconds at most. */
export const HASHES_WAITING = 16;
/** How long a 503 asks the client to wait, seconds. */
const RETRY_AFTER_S = 3;

/** How passwords become hashes. */
export interface PasswordHashing {
  hash(password: string): Promise<string>;
  verify(given: { hash: string; password: string }): Promise<boolean>;
}

/** scrypt, 32 MB and some 0.1 s for each password (N = 16384, r = 16). */
const SCRYPT: PasswordHashing = { hash: hashPassword, verify: verifyPassword };

/**
 * Hashes and checks passwords, a few at a time.
 * @param hashing something quicker, in tests
 */
export function createPasswords(hashing = SCRYPT) {
  const run = createQueue(HASHES_AT_ONCE, HASHES_WAITING);
  return {
    /** @throws AppError `unavailable` if too many wait already */
    hash: (password: string) => run(() => hashing.hash(password)),
    /** @throws AppError `unavailable` if too many wait already */
    verify: (given: { hash: string; password: string }) => run(() => hashing.verify(given)),
  };
}

/** @returns runs `work` once fewer than `atOnce` others run. @throws AppError `unavailable` if `max` wait already */
export function createQueue(atOnce: number, max: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running++;
    else if (waiting.length < max) await new Promise<void>((resolve) => waiting.push(resolve));
    else
      throw new AppError(
        'unavailable',
        `Too many people are signing in at once. Try again in ${RETRY_AFTER_S} seconds.`,
        { retryAfter: RETRY_AFTER_S },
      );
    try {
      return await work();
    } finally {
      // The next one takes this one's place.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
