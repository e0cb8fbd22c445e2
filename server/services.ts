import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { DatabaseClock } from '#server/common/database-clock.ts';
import { createRooms, type Room } from '#server/common/rooms.ts';
import { createMaps, createPictures } from '#server/drawing/index.ts';
import { Feed, ListWorker, LiveModel, Ticker } from '#server/live/index.ts';
import { createAudit } from '#server/audit/index.ts';
import { createNotifications, createWebhook } from '#server/outbox/index.ts';
import { createRegistryLog, createTruth } from '#server/network/index.ts';
import { createAccounts, type PasswordHashing } from '#server/accounts/index.ts';
import { createNames } from '#server/names/index.ts';
import { createIdentity } from '#server/identity/index.ts';
import { createMesh, type CheckTimes } from '#server/mesh/index.ts';
import { createComputes } from '#server/computes/index.ts';
import { createRegistry } from '#server/registry/index.ts';
import { createOutages, createUptime } from '#server/uptime/index.ts';
import { createNodes } from '#server/nodes/index.ts';
import { createRegistration } from '#server/registration/index.ts';
import { createPayments } from '#server/payments/index.ts';
import { createReview } from '#server/review/index.ts';
import { Search } from '#server/search/index.ts';
import { createStatus } from '#server/status/index.ts';
import type { Config } from './config.ts';
import type { ServiceContext } from './context.ts';

/**
 * All services, built once by server.ts and passed to routes (as Remix's load context) and procedures. Nothing of
 * HTTP gets in here. Each room builds its own; this file creates them, the lowest first, and only composes them.
 */
export type Services = Awaited<ReturnType<typeof createServices>>;

export interface ServicesOptions {
  config: Config;
  database: Database;
  log: Logger;
  /** Milliseconds since 1970, instead of the database's clock. */
  clock?: () => number;
  /** This machine's clock; tests set it wrong. */
  localClock?: () => number;
  /** How Genesis is checked; the default is what the API promises. */
  genesisCheck?: CheckTimes;
  /** From how many rows on lists are made by a thread of their own. */
  largeListRows?: number;
  /** Holders may be notified on this machine and without TLS. For tests only: it opens the operator's network. */
  loopbackReceivers?: boolean;
  /** Tests hash passwords quicker. */
  passwordHashing?: PasswordHashing;
}

/** How often expired rows are deleted, milliseconds. */
const DELETE_EXPIRED_MS = 600_000;

export async function createServices(options: ServicesOptions) {
  const { database, log } = options;
  const databaseClock = new DatabaseClock(options.localClock);
  const context = createContext(options, databaseClock);
  const { config, live, ticker, clock } = context;
  const startedAt = clock();
  live.syncWith(() => measureClock(databaseClock, database, log));

  const rooms = createRooms(log);
  const pictures = rooms.use(
    'pictures',
    createPictures({
      folder: config.picturesDir,
      onError: (error) => log.warn({ err: error }, 'could not keep a picture'),
    }),
  );
  const maps = rooms.use(
    'maps',
    createMaps({ onError: (error) => log.warn({ err: error }, 'could not draw a map') }),
  );
  rooms.use('live', liveRoom(context));
  const audit = createAudit(context);
  const webhook = rooms.use('webhook', createWebhook(context));
  const notifications = rooms.use(
    'notifications',
    createNotifications(context, { allowLoopback: options.loopbackReceivers ?? false }),
  );
  const truth = rooms.use('truth', createTruth(context));
  const registryLog = rooms.use('registry log', createRegistryLog(context, truth.trust));
  const accounts = rooms.use(
    'accounts',
    createAccounts({ ...context, passwordHashing: options.passwordHashing }),
  );
  const names = createNames(context);
  const identity = rooms.use('identity', createIdentity(context));
  const mesh = rooms.use(
    'mesh',
    createMesh(context, { identity, genesisCheck: options.genesisCheck }),
  );
  const computes = rooms.use('computes', createComputes(context, { names: names.index, identity }));
  const registry = rooms.use('registry', createRegistry(context, { names: names.index }));
  const uptime = rooms.use('uptime', createUptime(context, { computes, mesh, names: names.index }));
  const outages = rooms.use('outages', createOutages(context, notifications.outages));
  const nodes = rooms.use(
    'nodes',
    createNodes(context, { names: names.index, mesh, computes, registry, uptime }),
  );
  const registration = createRegistration(context, { identity, registry });
  const { reviewIndex, load, repeats, expired } = registration;
  // Its own `start` is that of a registration.
  rooms.use('registration', { load, repeats, expired });
  const payments = createPayments(context, { reviewIndex });
  const reviewing = rooms.use('review', createReview(context, { nodes, reviewIndex }));
  const search = new Search(context, { names: names.index, mesh, computes, registry });
  const status = rooms.use(
    'status',
    createStatus(context, { database, mesh, computes, startedAt }),
  );
  const deleteExpired = () => rooms.deleteExpired(database.db, clock());
  const failure = 'could not delete expired data';
  let first: Promise<void> | undefined;
  rooms.use('retention', {
    // At once: an older backup may have been restored.
    start: () =>
      void (first = deleteExpired().catch((error: unknown) => log.warn({ err: error }, failure))),
    stop: () => first,
    repeats: [{ ms: DELETE_EXPIRED_MS, failure, work: deleteExpired }],
  });
  await rooms.load();

  return {
    config,
    /** By how much the database's clock is ahead of this machine's, milliseconds. */
    clockOffsetMs: () => databaseClock.offsetMs,
    /** For tests and tools that call a function which is no service. */
    context,
    pictures,
    maps,
    audit,
    webhook,
    notifications,
    truth,
    registryLog,
    accounts,
    names,
    identity,
    mesh,
    computes,
    registry,
    uptime,
    outages,
    nodes,
    registration,
    payments,
    review: reviewing.review,
    search,
    status,
    health: status.health,
    /** Deletes what was stored for a limited time that has passed. Also runs by itself. */
    deleteExpired,
    /** Starts everything that runs in the background. */
    start: rooms.start,
    /** Ends the event streams; clients reconnect with their position, to this server or another. */
    closeStreams: () => ticker.stop(),
    /** Ends streams and timers, and commits all accepted writes. The database stays open. */
    stop: rooms.stop,
  };
}

function createContext(
  { config, database, log, clock: ownClock, largeListRows }: ServicesOptions,
  databaseClock: DatabaseClock,
): ServiceContext {
  const { db } = database;
  const clock = ownClock ?? databaseClock.now;
  const serverId = randomBytes(6).toString('hex');
  const feed = new Feed(db, serverId, database.distributed);
  return {
    config,
    db,
    log,
    live: new LiveModel(db, feed, clock, log),
    feed,
    ticker: new Ticker(clock),
    listWorker: new ListWorker(largeListRows),
    clock,
    serverId,
  };
}

/** What the context holds of the room `live`. */
function liveRoom({ live, feed, ticker, listWorker }: ServiceContext): Room {
  return {
    repeats: feed.repeats,
    load: () => live.loadAll(),
    async stop() {
      ticker.stop();
      live.stop();
      await listWorker.stop();
    },
  };
}

/** A difference between clocks (ms) that someone should fix. */
const CLOCK_WARNING_MS = 2000;

async function measureClock(clock: DatabaseClock, database: Database, log: Logger): Promise<void> {
  const before = Math.abs(clock.offsetMs);
  await clock.measure(() => database.now());
  if (Math.abs(clock.offsetMs) > CLOCK_WARNING_MS && before <= CLOCK_WARNING_MS)
    log.warn(
      { offsetMs: Math.round(clock.offsetMs) },
      'this machine’s clock differs from the database’s: the database’s counts',
    );
}
