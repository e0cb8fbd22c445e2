import { betterAuth } from 'better-auth';
import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { twoFactor } from 'better-auth/plugins';
import { eq } from 'drizzle-orm';
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { isAPIError } from 'better-auth/api';
import { createDurable, removeUnfinished } from '@mesh-registry/protocol/durable-file.ts';
import {
  PASSWORD_MAX,
  PASSWORD_MIN,
  REVIEWER_ROLES,
  type ReviewerRole,
} from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { isStorageFull, isTransient } from '#db/connection/errors.ts';
import {
  reviewerAccounts,
  reviewers,
  reviewerSessions,
  reviewerTwoFactors,
  reviewerVerifications,
} from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { storageFull, unavailable } from '#server/common/with-retry.ts';
import type { Config } from '#server/config.ts';
import { deviceName } from './device.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import { createPasswords, type PasswordHashing } from './passwords.ts';

/**
 * better-auth handles passwords, sessions and the second factor. Its HTTP handler is not mounted: only our procedures
 * call it, after their own checks of origin and rate limits. It stores no address of a client.
 */

/** How long a session lasts, used or not (seconds). */
export const SESSION_SECONDS = 14 * 86_400;
/** What better-auth logs when the hook below refuses a session: the request's own log line reports that already. */
const REFUSED_SESSION = 'Failed to create session';

/** 31 letters and digits, without those that look alike on paper: 0 and o, 1, l and i. */
const CODE_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const RECOVERY_CODES = 10;

/** Two groups of five characters: about 49 bits. */
const recoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const group = () =>
      Array.from({ length: 5 }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');
    return `${group()}-${group()}`;
  });

/** Whether browsers send cookies over https only. */
export const usesSecureCookies = (config: Pick<Config, 'production' | 'publicUrl'>): boolean =>
  config.production || config.publicUrl?.startsWith('https:') === true;

export type Auth = ReturnType<typeof createAuth>;

/** The first argument of the functions of accounts. */
export interface AccountsContext {
  readonly db: Db;
  readonly auth: Auth;
  readonly browsers: KnownBrowsers;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Who is signed in. */
export interface Reviewer {
  id: string;
  name: string;
  /** In lower case; the history names them by it. */
  email: string;
  role: ReviewerRole;
  twoFactorEnabled: boolean;
  /** Of the session of this request. */
  sessionId: string;
}

export function createAuth(options: {
  config: Pick<Config, 'production' | 'publicUrl' | 'authSecret' | 'dataDir' | 'network'>;
  db: Db;
  log: Logger;
  passwordHashing?: PasswordHashing | undefined;
}) {
  const { config, db, log } = options;
  return betterAuth({
    appName: config.network.name,
    // Only used for cookie names and links, and we create those ourselves.
    baseURL: config.publicUrl ?? 'http://localhost',
    secret: authSecret(config),
    database: drizzleAdapter(db, {
      provider: 'pg',
      schema: {
        user: reviewers,
        session: reviewerSessions,
        account: reviewerAccounts,
        verification: reviewerVerifications,
        twoFactor: reviewerTwoFactors,
      },
    }),
    user: {
      additionalFields: {
        // Never from a form: `input: false` also refuses them in better-auth's own functions.
        role: { type: [...REVIEWER_ROLES], required: true, input: false },
        deactivatedAt: { type: 'date', required: false, input: false },
      },
    },
    emailAndPassword: {
      enabled: true,
      // Accounts are created by invitation only.
      disableSignUp: true,
      minPasswordLength: PASSWORD_MIN,
      maxPasswordLength: PASSWORD_MAX,
      password: createPasswords(options.passwordHashing),
    },
    session: {
      expiresIn: SESSION_SECONDS,
      disableSessionRefresh: true,
      // Ending a session must take effect at once.
      cookieCache: { enabled: false },
    },
    databaseHooks: {
      session: {
        create: {
          before: async (session) => {
            const [account] = await db
              .select({ deactivatedAt: reviewers.deactivatedAt })
              .from(reviewers)
              .where(eq(reviewers.id, session.userId));
            // The same answer as for a wrong password.
            if (!account || account.deactivatedAt) return false;
            return {
              data: {
                ...session,
                ipAddress: undefined,
                userAgent: deviceName(session.userAgent ?? null),
              },
            };
          },
        },
      },
    },
    // Ours are in server/entry/rate-limits.ts.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    advanced: {
      cookiePrefix: 'mesh',
      useSecureCookies: usesSecureCookies(config),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/' },
      ipAddress: { disableIpTracking: true },
      // Our tables lack what we never store: addresses, pictures, tokens of other sites.
      database: { validateSchema: false },
    },
    logger: {
      level: 'error',
      // Its messages contain no values of ours; its arguments may.
      log: (level, message) =>
        log[level === 'error' && message !== REFUSED_SESSION ? 'error' : 'debug'](
          { from: 'auth' },
          message,
        ),
    },
    plugins: [
      twoFactor({
        // The name that authenticator apps show.
        issuer: config.network.name,
        backupCodeOptions: { customBackupCodesGenerate: recoveryCodes },
      }),
    ],
  });
}

/**
 * The key that signs sessions and encrypts second factors: AUTH_SECRET, or else a key that is generated once and stored
 * in DATA_DIR, readable only by its owner.
 */
export function authSecret(config: Pick<Config, 'authSecret' | 'dataDir'>): string {
  if (config.authSecret !== undefined) return config.authSecret;
  const path = join(config.dataDir, 'auth-secret');
  removeUnfinished(path);
  if (!existsSync(path)) {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    try {
      createDurable(path, randomBytes(32).toString('base64url'));
    } catch (error) {
      // Several processes may start at once.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  const stored = readFileSync(path, 'utf8').trim();
  if (stored.length < 32)
    throw new Error(
      `${path} is not a key. Delete it to generate a new one; reviewers then have to sign in again.`,
    );
  return stored;
}

/** How long better-auth locks the second factor of an account after ten wrong codes, seconds. */
const LOCK_SECONDS = 900;

/**
 * Calls better-auth, and turns what it throws into our errors.
 * @param refusal thrown for a wrong password, code or cookie
 * @throws AppError `refusal`, `unauthorized` (the sign-in has expired), `rate_limited` (the account is locked),
 *   `unavailable`, `storage_full`; anything unexpected unchanged
 */
export async function mapAuthError<T>(call: () => Promise<T>, refusal: AppError): Promise<T> {
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
