import { betterAuth } from 'better-auth';
import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { twoFactor } from 'better-auth/plugins';
import { eq } from 'drizzle-orm';
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { IN_MEMORY, type Db } from '#db/client.ts';
import {
  reviewerAccounts,
  reviewers,
  reviewerSessions,
  reviewerTwoFactors,
  reviewerVerifications,
} from '#db/schema.ts';
import type { Config } from '#server/config.ts';
import { deviceName } from './device.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from './values.schema.ts';
import { REVIEWER_ROLES } from './values.schema.ts';

/**
 * Reviewers' accounts: passwords, sessions and the second factor are better-auth's. Its HTTP handler is
 * not mounted: nothing of it can be reached but what our own actions call, after their own checks of
 * origin and limits. It is told to store no address of a client.
 */

/** A sign-in lasts this long, whether or not it is used (seconds). */
export const SESSION_SECONDS = 14 * 86_400;
/** What an authenticator app calls the service. */
const ISSUER = 'Mesh Registry';

/** What better-auth calls it when the hook below makes no session: a refusal, which the request's own line tells. */
const REFUSED_SESSION = 'Failed to create session';

/** Without what looks alike on paper: 0 and o, 1, l and i. 31 letters and figures. */
const CODE_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const RECOVERY_CODES = 10;

/** Two groups of five each: some 49 bits. */
const recoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const group = () =>
      Array.from({ length: 5 }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');
    return `${group()}-${group()}`;
  });

export type Auth = ReturnType<typeof createAuth>;

export function createAuth(options: {
  config: Pick<Config, 'production' | 'publicUrl' | 'authSecret' | 'dataDir'>;
  db: Db;
  log: Logger;
}) {
  const { config, db, log } = options;
  const secureCookies = config.production || config.publicUrl?.startsWith('https:') === true;
  return betterAuth({
    appName: ISSUER,
    // Only used in cookies' names and links, neither of which we take from it.
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
        // Never from a form: `input: false` refuses them in better-auth's own functions too.
        role: { type: [...REVIEWER_ROLES], required: true, input: false },
        deactivatedAt: { type: 'date', required: false, input: false },
      },
    },
    emailAndPassword: {
      enabled: true,
      // Accounts come from invitations only.
      disableSignUp: true,
      minPasswordLength: PASSWORD_MIN,
      maxPasswordLength: PASSWORD_MAX,
    },
    session: {
      expiresIn: SESSION_SECONDS,
      disableSessionRefresh: true,
      // A session that was ended must be over at once.
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
            // Answered as a wrong password is.
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
    // Ours are in server/http/rate-limits.ts, on a keyed hash in memory.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    advanced: {
      cookiePrefix: 'mesh',
      useSecureCookies: secureCookies,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/' },
      ipAddress: { disableIpTracking: true },
      // Our tables leave out what we never store: addresses, pictures, tokens of other sites.
      database: { validateSchema: false },
    },
    logger: {
      level: 'error',
      // Its messages hold no values of ours; its arguments may.
      log: (level, message) =>
        log[level === 'error' && message !== REFUSED_SESSION ? 'error' : 'debug'](
          { from: 'auth' },
          message,
        ),
    },
    plugins: [
      twoFactor({
        issuer: ISSUER,
        backupCodeOptions: { customBackupCodesGenerate: recoveryCodes },
      }),
    ],
  });
}

/**
 * The key that signs sessions and encrypts second factors: AUTH_SECRET, else one of its own that is
 * made once and kept in DATA_DIR, readable by its owner alone.
 */
export function authSecret(config: Pick<Config, 'authSecret' | 'dataDir'>): string {
  if (config.authSecret !== undefined) return config.authSecret;
  const made = randomBytes(32).toString('base64url');
  if (config.dataDir === IN_MEMORY) return made;
  mkdirSync(config.dataDir, { recursive: true });
  const path = join(config.dataDir, 'auth-secret');
  if (!existsSync(path)) {
    // Whole before it has its name, and only if nobody else made one: several processes may start at once.
    const aside = `${path}.${process.pid}`;
    writeFileSync(aside, made, { mode: 0o600, flush: true });
    try {
      linkSync(aside, path);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    } finally {
      unlinkSync(aside);
    }
  }
  const kept = readFileSync(path, 'utf8').trim();
  if (kept.length < 32)
    throw new Error(
      `${path} is not a key. Remove it: a new one is made, and reviewers sign in again.`,
    );
  return kept;
}
