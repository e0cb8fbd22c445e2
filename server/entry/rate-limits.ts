import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Config } from '#server/config.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { type NewIdLimit, withoutLimit } from '#server/context.ts';
import { Turns } from '#server/common/slices.ts';
import { BUCKETS_MAX, TokenBuckets } from '#server/common/token-buckets.ts';

/**
 * How often a client may write, or read what needs the database. A node that sends a heartbeat every 20 seconds never
 * reaches a limit, nor does a house full of nodes behind one address.
 */
export const LIMITS = {
  /** Heartbeats of one node, and announcements of one node. */
  node: { points: 600, seconds: 60 },
  /** Wrong credentials from one client. */
  credential: { points: 60, seconds: 60 },
  /** Registrations started or confirmed by one client. */
  registration: { points: 120, seconds: 600 },
  /**
   * Reads of one client that ask the database, have an answer above LARGE_BYTES, or look through many rows: so many at
   * once, and as many again evenly over these seconds.
   */
  lookup: { points: 300, seconds: 15 },
  /** Nodes that one client removes by the network's secret alone. Whoever has more to remove stops them. */
  hiding: { points: 30, seconds: 60 },
  /** Event streams that one client opens, each of which may begin with a whole list. */
  stream: { points: 600, seconds: 60 },
  /**
   * Wrong passwords from one client; from one client for one email address; and for one address from everywhere. A
   * browser that has signed in to the account before has a count of its own, so that nobody can lock a reviewer out of
   * a browser that the reviewer uses.
   */
  passwordsOfClient: { points: 20, seconds: 900 },
  passwordsOfClientForAddress: { points: 15, seconds: 900 },
  passwordsForAddress: { points: 100, seconds: 900 },
  /** Wrong second-factor codes from one client. Ten for one account lock that account in the database. */
  codes: { points: 20, seconds: 900 },
} as const;

/**
 * How many rows are looked through for one point of `lookup`: that takes up to 5 ms of processor time, so all that one
 * client may look up takes 1.5 s at once, and then a tenth of a core at most, however large the network is.
 */
const ROWS_A_POINT = {
  /** Filtered nodes, with a page of them. */
  nodes: 12_000,
  /** Filtered nodes in an order, with a page of them. */
  nodesInOrder: 2000,
  /** Nodes at one place. */
  nodesAt: 100_000,
  /** Filtered nodes, by place. */
  places: 3000,
  /** Filtered or sorted compute offers. */
  offers: 2000,
  /** Compute offers or nodes that a download is made of. */
  downloads: 700,
  /** Filtered names. */
  names: 1500,
  /** Nodes, names and offers that are searched. */
  texts: 60_000,
} as const;

/** How many of each are let through in how many seconds, and look-ups at once. */
export type Limits = Record<keyof typeof LIMITS, { points: number; seconds: number }>;

export type RateLimits = ReturnType<typeof createRateLimits>;

interface PasswordAttempt {
  client: string;
  /** The address as it was sent. */
  email: string;
  /** The id of a browser that has signed in to this account before. */
  browser: string | null;
}

/**
 * @param config with `rateLimits` off nothing is counted
 * @param isKnownNode whether the service knows a node: only these are counted
 * @param limits fewer, in tests
 */
export function createRateLimits(
  config: Pick<
    Config,
    'rateLimits' | 'newNodesPerHour' | 'newComputesPerHour' | 'maxStreams' | 'streamsPerClient'
  >,
  isKnownNode: (nodeId: string) => boolean,
  limits: Limits = LIMITS,
) {
  const limiters: Limiter[] = [];
  const limiter = (limit: { points: number; seconds: number }, what: string) => {
    const made = createLimiter(limit, what, config.rateLimits);
    limiters.push(made);
    return made;
  };
  const byNode = (what: string) => {
    const limit = limiter(limits.node, `${what} from this node`);
    return (body: unknown) => {
      const node = nodeOf(body);
      // A made-up id takes no memory. The limit of new nodes counts its client instead, and then it is known.
      if (node !== null && isKnownNode(node)) limit.count(node);
    };
  };
  const wrongPasswords = 'wrong passwords';
  const ofClient = limiter(limits.passwordsOfClient, wrongPasswords);
  const ofClientForAddress = limiter(limits.passwordsOfClientForAddress, wrongPasswords);
  const forAddress = limiter(limits.passwordsForAddress, wrongPasswords);
  const codes = limiter(limits.codes, 'wrong codes');
  const addressKey = randomBytes(32);
  const keyOf = (email: string) =>
    createHmac('sha256', addressKey).update(email.trim().toLowerCase()).digest('base64url');

  const newIds = (perHour: number, what: string) => {
    const buckets = new TokenBuckets(perHour, 3_600_000);
    return (client: () => string): NewIdLimit =>
      config.rateLimits
        ? (most, store, created) => countNew(buckets, client(), what, most, store, created)
        : withoutLimit;
  };

  const lookups = new TokenBuckets(limits.lookup.points, limits.lookup.seconds * 1000);
  const countLookup = (client: string, points = 1): void => {
    if (!config.rateLimits) return;
    // What costs more than all points needs all of them, and its client pays off the rest.
    const waitMs = lookups.take(client, points, Math.min(points, limits.lookup.points));
    if (waitMs > 0) throw tooMany('requests from your network', waitMs);
  };
  const scans = new Turns();
  const streams = createOpenStreams(config);
  const newStreams = limiter(limits.stream, 'event streams from your network');

  return {
    /** How many clients and nodes are counted, of all limits that forget them after some time. */
    get counted(): number {
      return limiters.reduce((sum, { counted }) => sum + counted, lookups.size);
    },
    /** Limits how many nodes a client may add. What a known node sends is not counted. */
    newNodes: newIds(config.newNodesPerHour, 'new nodes'),
    /** The same for compute offers. */
    newComputes: newIds(config.newComputesPerHour, 'new compute offers'),
    /** Counts a heartbeat against the node named in the body, if it is known. @throws AppError `rate_limited` */
    countPing: byNode('heartbeats'),
    /** The same for an announcement. @throws AppError `rate_limited` */
    countAnnounce: byNode('announcements'),
    /** @throws AppError `rate_limited` */
    countRegistration: limiter(limits.registration, 'registrations from your network').count,
    /** Counts a read that asks the database, or has a large answer; some count as several. @throws AppError `rate_limited` */
    countLookup,
    /** Counts a read that looks through so many rows as several look-ups. @throws AppError `rate_limited` */
    countScan: (client: string, what: keyof typeof ROWS_A_POINT, rows: number): void =>
      countLookup(client, Math.ceil((rows + 1) / ROWS_A_POINT[what])),
    /** Resolves in a turn of the event loop in which nothing else that waited for one looks through rows. */
    turnToScan: (): Promise<void> => scans.next(),
    /** Counts the removal of a node that is pinned to no key. @throws AppError `rate_limited` */
    countHiding: limiter(limits.hiding, 'removals from your network').count,
    /** Counts a wrong credential of a node. @throws AppError `rate_limited` */
    countWrongCredential: limiter(limits.credential, 'wrong credentials from your network').count,
    /**
     * Counts an event stream among those that are open.
     * @param connection the one that it is sent on
     * @returns call it when the stream has ended
     * @throws AppError `rate_limited`; `invalid_state` (the connection has a stream)
     */
    openStream(client: string, connection: object): () => void {
      newStreams.count(client);
      return streams.open(client, connection);
    },
    /** How many event streams are open. */
    get openStreams(): number {
      return streams.total;
    },
    /**
     * Runs `check`, which needs a password. Wrong passwords count (`check` throws `unauthorized`); a right one
     * resets the counts for the email address. Whether the address has an account makes no difference.
     * @throws AppError `rate_limited`, and what `check` throws
     */
    password<T>({ client, email, browser }: PasswordAttempt, check: () => Promise<T>): Promise<T> {
      const address = keyOf(email);
      return countFailures(
        [
          { limit: ofClient, key: client },
          { limit: ofClientForAddress, key: `${client} ${address}`, resetOnSuccess: true },
          { limit: forAddress, key: `${browser ?? ''} ${address}`, resetOnSuccess: true },
        ],
        check,
      );
    },
    /** The same for a second-factor code. */
    code: <T>(client: string, check: () => Promise<T>): Promise<T> =>
      countFailures([{ limit: codes, key: client }], check),
  };
}

type Limiter = ReturnType<typeof createLimiter>;

/**
 * Lets `points` through in the `seconds` that begin with the first. The one that was counted longest ago is forgotten
 * first, so never one that is sending now: whoever has more addresses than are counted has more than any limit by client
 * can hold back.
 */
function createLimiter(
  { points, seconds }: { points: number; seconds: number },
  what: string,
  enabled: boolean,
) {
  const counts = new LRUCache<string, { used: number; endsAt: number }>({ max: BUCKETS_MAX });
  return {
    get counted(): number {
      return counts.size;
    },
    /** @throws AppError `rate_limited` */
    count: (key: string): void => {
      if (!enabled) return;
      const now = performance.now();
      const known = counts.get(key);
      if (!known || known.endsAt <= now) counts.set(key, { used: 1, endsAt: now + seconds * 1000 });
      else if (known.used < points) known.used++;
      else throw tooMany(what, known.endsAt - now);
    },
    /** Takes back one count. Nothing is left of the only one: refunded counts of made-up keys push out no others. */
    refund: (key: string): void => {
      const known = counts.peek(key);
      if (known && --known.used === 0) counts.delete(key);
    },
    reset: (key: string): void => void counts.delete(key),
  };
}

/** Counts what `store` created. Before the outcome is known all of it counts, so that many at once cannot pass the limit. */
async function countNew<T>(
  buckets: TokenBuckets,
  client: string,
  what: string,
  most: number,
  store: () => Promise<T>,
  created: (result: T) => number,
): Promise<T> {
  const waitMs = buckets.take(client, most);
  if (waitMs > 0) throw tooMany(`${what} from your network`, waitMs);
  let used = 0;
  try {
    const result = await store();
    used = created(result);
    return result;
  } finally {
    buckets.putBack(client, most - used);
  }
}

/** Counts before the outcome is known, so that many attempts at once cannot get around the limit. */
async function countFailures<T>(
  limits: { limit: Limiter; key: string; resetOnSuccess?: boolean }[],
  check: () => Promise<T>,
): Promise<T> {
  for (const { limit, key } of limits) limit.count(key);
  try {
    const result = await check();
    for (const { limit, key, resetOnSuccess } of limits)
      if (resetOnSuccess) limit.reset(key);
      else limit.refund(key);
    return result;
  } catch (error) {
    const wrong = isAppError(error) && error.code === 'unauthorized';
    if (!wrong) for (const { limit, key } of limits) limit.refund(key);
    throw error;
  }
}

/** The node that a body names. Read before the body is validated, so that invalid bodies count too. */
function nodeOf(body: unknown): string | null {
  const named = typeof body === 'object' && body !== null && 'nodeId' in body ? body.nodeId : null;
  return typeof named === 'string' ? named : null;
}

function tooMany(what: string, waitMs: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError('rate_limited', `Too many ${what}. Try again in ${inWords(retryAfter)}.`, {
    retryAfter,
  });
}

const inWords = (seconds: number) =>
  seconds === 1
    ? '1 second'
    : seconds < 120
      ? `${seconds} seconds`
      : `${Math.ceil(seconds / 60)} minutes`;

/** After a refusal, a client may try again in this many seconds. */
const RETRY_AFTER_S = 10;

/** Counts the open event streams of this process, in total and of each client. */
function createOpenStreams({
  maxStreams,
  streamsPerClient,
  rateLimits,
}: Pick<Config, 'maxStreams' | 'streamsPerClient' | 'rateLimits'>) {
  const ofClient = new Map<string, number>();
  /** The connections that have a stream. What comes behind a stream on its connection is never sent. */
  const taken = new WeakSet<object>();
  const streams = {
    total: 0,
    /**
     * @param client the keyed hash of its address
     * @returns call it when the stream has ended
     * @throws AppError `rate_limited`, `invalid_state`
     */
    open(client: string, connection: object): () => void {
      if (taken.has(connection))
        throw new AppError(
          'invalid_state',
          'This connection has an event stream, and nothing can be sent after that. Open another connection.',
        );
      const own = ofClient.get(client) ?? 0;
      if (rateLimits && own >= streamsPerClient)
        throw refusal(`Your network has ${own} event streams open, the most that one may have.`);
      if (streams.total >= maxStreams)
        throw refusal('The server has as many event streams as it can.');
      streams.total++;
      taken.add(connection);
      ofClient.set(client, own + 1);
      return () => {
        streams.total--;
        taken.delete(connection);
        const left = (ofClient.get(client) ?? 1) - 1;
        if (left === 0) ofClient.delete(client);
        else ofClient.set(client, left);
      };
    },
  };
  return streams;
}

const refusal = (message: string) =>
  new AppError('rate_limited', `${message} Close some, or try again in ${RETRY_AFTER_S} seconds.`, {
    retryAfter: RETRY_AFTER_S,
  });
