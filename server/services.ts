import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { createAccounts, type PasswordHashing } from '#server/accounts/index.ts';
import type { ServiceContext } from './context.ts';
import { DatabaseClock } from '#server/common/database-clock.ts';
import { ComputesQuery } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { createComputes } from '#server/computes/index.ts';
import { createMaps, createPictures } from '#server/drawing/index.ts';
import { createHistory, createOutages, QuarterEnds } from '#server/uptime/index.ts';
import { createIdentity, type SignatureOutcome } from '#server/identity/index.ts';
import { Feed, ListWorker, LiveModel, Ticker } from '#server/live/index.ts';
import { createMesh, type CheckTimes } from '#server/mesh/index.ts';
import { createAudit } from '#server/audit/index.ts';
import { createNames } from '#server/names/index.ts';
import { createNodes } from '#server/nodes/index.ts';
import { createNotifications, createWebhook } from '#server/outbox/index.ts';
import { createPayments } from '#server/payments/index.ts';
import { createRegistration } from '#server/registration/index.ts';
import { createRegistry } from '#server/registry/index.ts';
import { createRegistryLog, createTruth } from '#server/network/index.ts';
import { createReview } from '#server/review/index.ts';
import { Search } from '#server/search/index.ts';
import { createHealth, createStatus, StatusRecorder } from '#server/status/index.ts';
import type { Config } from './config.ts';
import { DELETE_EXPIRED_MS, deleteExpired } from './retention.ts';

/**
 * All services, built once by main.ts and passed to routes (as Remix's load context) and procedures. Nothing of
 * HTTP gets in here. Each domain builds its own; this file only composes them.
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
  /** Called with the size of each group of writes before its commit. */
  onGroup?: (writer: 'pings' | 'announces', size: number) => void;
  /** Called with how the check of each signature ended. */
  onSignature?: (outcome: SignatureOutcome) => void;
}

/**
 * How often expired reservations are ended, and decisions carried out that a stopped server left behind,
 * milliseconds.
 */
const SWEEP_MS = 30_000;

export async function createServices(options: ServicesOptions) {
  const { config, database, log, onGroup } = options;
  const databaseClock = new DatabaseClock(options.localClock);
  const clock = options.clock ?? databaseClock.now;
  const { db } = database;
  const serverId = randomBytes(6).toString('hex');
  const startedAt = clock();
  const feed = new Feed(db, serverId, database.distributed);
  const live = new LiveModel(db, feed, clock, {
    async onSync() {
      await Promise.all([measureClock(databaseClock, database, log), names.refresh()]);
    },
    onReload() {
      quarterEnds.reloading();
      uptime.reload();
      log.warn(
        'loading everything from the database again: it was away, restarted, or failed over',
      );
    },
  });
  const quarterEnds = new QuarterEnds(live, clock);
  const recorder = new StatusRecorder(db, serverId, clock, log);

  const context: ServiceContext = {
    config,
    db,
    live,
    feed,
    clock,
    log,
    serverId,
    ticker: new Ticker(clock),
    listWorker: new ListWorker(options.largeListRows),
  };
  const { listWorker, ticker } = context;

  const names = createNames(context);
  const identity = createIdentity(context, options.onSignature);
  const mesh = createMesh(context, {
    genesisCheck: options.genesisCheck,
    onCheck: (health) => recorder.genesis(health),
    onGroup: (size) => onGroup?.('pings', size),
    onCommit: (size) => recorder.pings(size),
  });
  const computes = createComputes(
    context,
    { names: names.index },
    {
      onGroup: (size) => onGroup?.('announces', size),
      onCommit: (size) => recorder.announces(size),
    },
  );
  const registry = createRegistry(context, { names: names.index });
  const uptime = createHistory(context, {
    quarterEnds,
    freeSlots: (now) => computes.stats(now).freeSlots,
  });
  const truth = createTruth({ config, log, clock });
  const registryLog = createRegistryLog(context, truth.trust);
  const nodes = createNodes(context, {
    names: names.index,
    mesh,
    computes,
    registry,
    uptime,
  });
  const health = createHealth(context, { database, genesis: mesh.genesis });
  const status = createStatus(context, {
    recorder,
    health,
    genesis: mesh.genesis,
    startedAt,
    embedded: database.embedded !== null,
  });
  const registration = createRegistration(context, { identity, registry });
  const { reviewIndex } = registration;
  const reviewing = createReview(context, { nodes, reviewIndex });
  const webhook = createWebhook(context);
  const search = new Search(context, { names: names.index, mesh, computes, registry });
  const pictures = createPictures();
  const maps = createMaps({
    onError: (error) => log.warn({ err: error }, 'could not draw a map'),
  });
  const notifications = createNotifications(context, {
    allowLoopback: options.loopbackReceivers ?? false,
  });
  const outages = createOutages(context, notifications.outages);
  await truth.load();
  registryLog.load();
  await live.load();
  quarterEnds.loaded();
  // Large lists take a while to make: not at the expense of the first to ask.
  mesh.places();
  await Promise.all([mesh.answer(), computes.answer(ComputesQuery.parse({})), registry.answer()]);
  await Promise.all([recorder.refresh(), uptime.load()]);

  const timers: NodeJS.Timeout[] = [];
  const repeat = (what: string, ms: number, work: () => Promise<void>) => {
    const run = () => void work().catch((error: unknown) => log.warn({ err: error }, what));
    timers.push(setInterval(run, ms).unref());
  };

  return {
    config,
    /** By how much the database's clock is ahead of this machine's, milliseconds. */
    clockOffsetMs: () => databaseClock.offsetMs,
    /** For tests and tools that call a function which is no service. */
    context,
    mesh,
    uptime,
    identity,
    truth,
    registryLog,
    names,
    nodes,
    computes,
    registry,
    registration,
    review: reviewing.review,
    audit: createAudit(context),
    payments: createPayments(context, { reviewIndex }),
    accounts: createAccounts({ ...context, passwordHashing: options.passwordHashing }),
    webhook,
    search,
    pictures,
    maps,
    outages,
    notifications,
    health,
    status,
    /** Deletes what was stored for a limited time that has passed. Also runs by itself. */
    deleteExpired: () => deleteExpired(context),
    /** Starts everything that runs in the background. */
    start() {
      feed.start((error) => log.warn({ err: error }, 'could not delete old records of the feed'));
      mesh.genesis.start();
      recorder.start();
      uptime.start();
      identity.start();
      webhook.start();
      outages.start();
      truth.start();
      registryLog.start();
      notifications.start();
      reviewing.sweep();
      timers.push(setInterval(reviewing.sweep, SWEEP_MS).unref());
      repeat('could not end expired reservations', SWEEP_MS, () => registration.endExpired());
      repeat('could not remove silent nodes', DELETE_EXPIRED_MS, async () => {
        await nodes.removeSilent();
      });
      repeat('could not delete expired data', DELETE_EXPIRED_MS, () => deleteExpired(context));
    },
    /** Ends the event streams; clients reconnect with their position, to this server or another. */
    endStreams: () => ticker.stop(),
    /** Ends streams and timers, and commits all accepted writes. The database stays open. */
    async stop() {
      timers.forEach(clearInterval);
      ticker.stop();
      mesh.genesis.stop();
      truth.stop();
      live.stop();
      feed.stop();
      await Promise.all([
        mesh.drain(),
        computes.drain(),
        identity.stop(),
        reviewing.stop(),
        webhook.stop(),
        outages.stop(),
        notifications.stop(),
        registryLog.stop(),
      ]);
      await Promise.all([recorder.stop(), uptime.stop()]);
      await Promise.all([listWorker.stop(), pictures.stop(), maps.stop()]);
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
