import { isAPIError } from 'better-auth/api';
import { isStorageFull, isTransient } from '#db/connection/errors.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { storageFull, unavailable } from '#server/common/with-retry.ts';

/** What better-auth returns with `returnHeaders`. */
interface WithHeaders<T> {
  headers: Headers;
  response: T;
}

/** How long better-auth locks the second factor of an account after ten wrong codes, seconds. */
const LOCK_SECONDS = 900;

/**
 * Calls better-auth, and turns what it throws into our errors.
 * @param refusal thrown for a wrong password, code or cookie
 * @throws AppError `refusal`, `unauthorized` (the sign-in has expired), `rate_limited` (the account is locked),
 *   `unavailable`, `storage_full`; anything unexpected unchanged
 */
export async function mapAuthError<T>(
  call: () => Promise<WithHeaders<T>>,
  refusal: AppError,
): Promise<WithHeaders<T>> {
  try {
    return await call();
  } catch (error) {
    if (isStorageFull(error)) throw storageFull(error);
    if (!isAPIError(error)) throw isTransient(error) ? unavailable(error) : error;
    const code: unknown = error.body?.code;
    if (code === 'ACCOUNT_TEMPORARILY_LOCKED')
      throw new AppError('rate_limited', 'Too many wrong codes. Try again in 15 minutes.', {
        retryAfter: LOCK_SECONDS,
      });
    if (code === 'INVALID_TWO_FACTOR_COOKIE' || code === 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')
      throw new AppError(
        'unauthorized',
        'This sign-in has expired or had too many wrong codes. Sign in again.',
      );
    // A deactivated account gets no session: the same answer as for a wrong password.
    if (error.statusCode < 500 || code === 'FAILED_TO_CREATE_SESSION') throw refusal;
    throw unavailable(error);
  }
}
