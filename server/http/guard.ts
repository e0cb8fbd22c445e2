import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '#server/config.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { NODE_ID_PATTERN } from '#server/common/patterns.schema.ts';

/**
 * Who may write, and how often. A node at its 20 seconds, and a house full of nodes behind one
 * address, never meet a limit.
 */
export const LIMITS = {
  /** Pings and announces of one node, each. */
  node: { points: 600, seconds: 60 },
  /** Wrong credentials of one client. */
  credential: { points: 60, seconds: 60 },
  /** Registrations started or confirmed by one client. */
  registration: { points: 120, seconds: 600 },
  /**
   * Wrong passwords of one client, and for one address from everywhere. The second is larger: one client
   * alone cannot lock somebody out.
   */
  passwordsOfClient: { points: 20, seconds: 900 },
  passwordsForAddress: { points: 30, seconds: 900 },
  /** Wrong codes of the second factor from one client. Ten for one account lock it in the database. */
  codes: { points: 20, seconds: 900 },
} as const;

export interface Guard {
  /**
   * The credential of a node's POST.
   * @param client the keyed hash of the client's address
   * @throws AppError `unauthorized`, `rate_limited`
   */
  credential(authorization: string | null, client: () => string): void | Promise<never>;
  /** By the node that the body names, if it names one. @throws AppError `rate_limited` */
  ping(body: unknown): Promise<void>;
  /** By the node that the body names, if it names one. @throws AppError `rate_limited` */
  announce(body: unknown): Promise<void>;
  /** @throws AppError `rate_limited` */
  registration(client: string): Promise<void>;
  /**
   * Does what needs a password. Wrong ones count (`check` throws `unauthorized`); a right one gives back
   * what was counted for the address. Whether the address has an account makes no difference.
   * @param email as it was sent
   * @throws AppError `rate_limited`, and what `check` throws
   */
  password<T>(client: string, email: string, check: () => Promise<T>): Promise<T>;
  /** The same for a code of the second factor. @throws as {@link password} */
  code<T>(client: string, check: () => Promise<T>): Promise<T>;
}

/** In words; seconds where they are few. */
const wait = (seconds: number) =>
  seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

/** The node that a body names, before it is validated: a node that sends nonsense is limited too. */
function nodeOf(body: unknown): string | null {
  const named = typeof body === 'object' && body !== null && 'nodeId' in body ? body.nodeId : null;
  return typeof named === 'string' && NODE_ID_PATTERN.test(named) ? named : null;
}

export function createGuard(
  config: Pick<Config, 'production' | 'webhookSecrets' | 'rateLimits'>,
): Guard {
  const limiter = (limit: { points: number; seconds: number }, what: string) => {
    const memory = new RateLimiterMemory({ points: limit.points, duration: limit.seconds });
    return {
      count: async (key: string): Promise<void> => {
        if (!config.rateLimits) return;
        try {
          await memory.consume(key);
        } catch (refusal) {
          if (!(refusal instanceof RateLimiterRes)) throw refusal;
          const retryAfter = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
          throw new AppError(
            'rate_limited',
            `Too many ${what}. Try again in ${wait(retryAfter)}.`,
            {
              retryAfter,
            },
          );
        }
      },
      /** It was none of those that count. */
      giveBack: (key: string) => memory.reward(key),
      forget: (key: string) => memory.delete(key),
    };
  };
  /** Counted before it is known to be wrong: many at once are no way around the limit. */
  const counted = async <T>(
    limits: { limit: ReturnType<typeof limiter>; key: string; forget?: boolean }[],
    check: () => Promise<T>,
  ): Promise<T> => {
    if (!config.rateLimits) return check();
    for (const { limit, key } of limits) await limit.count(key);
    try {
      const answer = await check();
      for (const { limit, key, forget } of limits)
        await (forget ? limit.forget(key) : limit.giveBack(key));
      return answer;
    } catch (error) {
      const wrong = isAppError(error) && error.code === 'unauthorized';
      if (!wrong) for (const { limit, key } of limits) await limit.giveBack(key);
      throw error;
    }
  };
  const byNode = (what: string) => {
    const limit = limiter(LIMITS.node, `${what} of this node`).count;
    return (body: unknown) => {
      const node = nodeOf(body);
      return node === null ? Promise.resolve() : limit(node);
    };
  };
  const failed = limiter(LIMITS.credential, 'wrong credentials from your network').count;
  const registration = limiter(LIMITS.registration, 'registrations from your network').count;
  const ofClient = limiter(LIMITS.passwordsOfClient, 'wrong passwords');
  const forAddress = limiter(LIMITS.passwordsForAddress, 'wrong passwords');
  const codes = limiter(LIMITS.codes, 'wrong codes');

  // Of equal length whatever is compared, so that a comparison tells nothing of the secret's length.
  const key = randomBytes(32);
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();
  const secrets = config.webhookSecrets.map(digest);
  const accepts = (token: string) => {
    const given = digest(token);
    let right = false;
    for (const secret of secrets) if (timingSafeEqual(given, secret)) right = true;
    return right;
  };

  return {
    ping: byNode('pings'),
    announce: byNode('announces'),
    registration,
    password: (client, email, check) =>
      counted(
        [
          { limit: ofClient, key: client },
          {
            limit: forAddress,
            key: digest(email.trim().toLowerCase()).toString('base64url'),
            forget: true,
          },
        ],
        check,
      ),
    code: (client, check) => counted([{ limit: codes, key: client }], check),
    credential(authorization, client) {
      if (authorization === null && !config.production) return;
      const token = authorization?.match(/^Bearer +(\S+) *$/i)?.[1];
      if (token !== undefined && accepts(token)) return;
      return failed(client()).then(() => {
        throw new AppError(
          'unauthorized',
          authorization === null
            ? 'Send the network’s secret in the header "Authorization: Bearer <WEBHOOK_SECRET>".'
            : 'The credential is not right. Send "Authorization: Bearer <WEBHOOK_SECRET>" with the network’s secret.',
        );
      });
    },
  };
}

/**
 * The keyed hash of a client's address, for limits: the key lives as long as the process, so that the
 * address is stored nowhere and cannot be found again.
 */
export function createClientHash(): (address: string) => string {
  const key = randomBytes(32);
  return (address) =>
    createHmac('sha256', key).update(networkOf(address)).digest('base64url').slice(0, 22);
}

/** Whoever has one IPv6 address has a /64 of them: all of it is one client. */
function networkOf(address: string): string {
  // An IPv4 address in the clothes of an IPv6 one stays what it is.
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = (part: string | undefined) => (part ? part.split(':') : []);
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(zeros).fill('0'), ...groups(tail)]
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}

/**
 * The address of the client: the socket's, or with `trustProxy` proxies in front the entry of
 * X-Forwarded-For that the outermost of them wrote.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | null | undefined,
  trustProxy: number,
): string {
  const own = socketAddress ?? 'unknown';
  if (trustProxy === 0 || !forwardedFor) return own;
  const hops = [...forwardedFor.split(',').map((hop) => hop.trim()), own];
  return hops[Math.max(0, hops.length - 1 - trustProxy)] ?? own;
}
