import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { createAuth } from '#server/accounts/auth.ts';
import { accountsOf } from '#server/accounts/index.ts';
import type { Accounts } from '#server/accounts/reviewers.ts';
import { createComputes } from '#server/computes/index.ts';
import { GenesisMonitor, type CheckTimes } from '#server/genesis/index.ts';
import { LiveModel, Ticker } from '#server/live/index.ts';
import { createMesh } from '#server/mesh/index.ts';
import { ReviewTimes } from '#server/registration/queue-estimate.ts';
import * as registrationService from '#server/registration/registration.ts';
import { follow, type FollowContext } from '#server/registration/status.ts';
import { Timelines } from '#server/registration/timeline.ts';
import { createRegistry, NameIndex } from '#server/registry/index.ts';
import { ReviewIndex } from '#server/review/index-by-note.ts';
import { createReviewing } from '#server/review/reviewing.ts';
import { createHealth, createStatus, StatusRecorder } from '#server/status/index.ts';
import type { Config } from './config.ts';
import { DELETE_EXPIRED_MS, deleteExpired } from './retention.ts';

/**
 * All services, built once by main.ts and passed to routes (as Remix's load context) and procedures.
 * Nothing of HTTP gets in here. Each room builds its own; this file only composes them.
 */
export type Services = Awaited<ReturnType<typeof createServices>>;

export interface ServicesOptions {
  config: Config;
  database: Database;
  log: Logger;
  /** Milliseconds since 1970. */
  clock?: () => number;
  /** How Genesis is checked; the default is what the interface promises. */
  genesisCheck?: CheckTimes;
  /** Called with the size of each group of writes before its commit. */
  onGroup?: (writer: 'pings' | 'announces', size: number) => void;
}

/**
 * How often expired reservations are ended, and decisions carried out that a stopped server left behind,
 * milliseconds.
 */
const SWEEP_MS = 30_000;

export async function createServices(options: ServicesOptions) {
  const { config, database, log, clock = Date.now, onGroup } = options;
  const { db } = database;
  const serverId = randomBytes(6).toString('hex');
  const startedAt = clock();
  const live = new LiveModel(database, serverId, clock);
  const reviewIndex = new ReviewIndex(live);
  const recorder = new StatusRecorder(db, serverId, clock, log);

  const context: FollowContext = {
    config,
    db,
    live,
    names: new NameIndex(live),
    reviewIndex,
    reviewTimes: new ReviewTimes(live, reviewIndex),
    timelines: new Timelines(db),
    clock,
    log,
    serverId,
    ticker: new Ticker(clock),
    genesis: new GenesisMonitor({
      ...options.genesisCheck,
      url: config.genesis.healthUrl,
      clock,
      onCheck: (health) => recorder.genesis(health),
    }),
  };
  const { genesis, ticker } = context;

  const computes = createComputes(context, {
    onGroup: (size) => onGroup?.('announces', size),
    onCommit: (size) => recorder.announces(size),
  });
  const registry = createRegistry(context);
  const mesh = createMesh(
    context,
    { computes, registry },
    {
      onGroup: (size) => onGroup?.('pings', size),
      onCommit: (size) => recorder.pings(size),
    },
  );
  const health = createHealth(context, database);
  const status = createStatus(context, {
    recorder,
    health,
    startedAt,
    embedded: database.embedded,
  });
  const reviewing = createReviewing(context, mesh);
  const accounts: Accounts = { db, auth: createAuth({ config, db, log }), clock };
  await live.load();
  await recorder.refresh();

  const timers: NodeJS.Timeout[] = [];
  const repeat = (what: string, ms: number, work: () => Promise<void>) => {
    const run = () => void work().catch((error: unknown) => log.warn({ err: error }, what));
    timers.push(setInterval(run, ms).unref());
  };

  return {
    config,
    mesh,
    computes,
    registry: {
      ...registry,
      /** The label that a start with this one gets. */
      shownLabel: registrationService.shownLabel,
      get: (id: string) => registrationService.registration(context, id),
      follow: (id: string) => follow(context, id),
      start: (input: Parameters<typeof registrationService.start>[1], idempotencyKey?: string) =>
        registrationService.start(
          context,
          input,
          idempotencyKey === undefined ? {} : { idempotencyKey },
        ),
      submitConfirmation: (
        input: { id: string; cashConfirm?: string | undefined },
        onlyCorrect: boolean,
      ) => registrationService.submitConfirmation(context, input, onlyCorrect),
      /** What came of a start with this key. */
      startedWith: (
        idempotencyKey: string,
        input: Parameters<typeof registrationService.start>[1],
      ) => registrationService.startedWith(context, idempotencyKey, input),
      confirm: (input: Parameters<typeof registrationService.confirm>[1]) =>
        registrationService.confirm(context, input),
      sweep: () => registrationService.sweep(context),
    },
    ...reviewing.services,
    reviewers: accountsOf(accounts),
    health,
    status,
    /** Deletes what was stored for a limited time that has passed. Also runs by itself. */
    deleteExpired: () => deleteExpired(context),
    /** Starts everything that runs in the background. */
    start() {
      genesis.start();
      recorder.start();
      reviewing.start();
      timers.push(setInterval(reviewing.sweep, SWEEP_MS).unref());
      repeat('could not end expired reservations', SWEEP_MS, () =>
        registrationService.sweep(context),
      );
      repeat('could not delete expired data', DELETE_EXPIRED_MS, () => deleteExpired(context));
    },
    /** Ends the event streams; clients reconnect with their position, to this server or another. */
    endStreams: () => ticker.stop(),
    /** Ends streams and timers, and commits all accepted writes. The database stays open. */
    async stop() {
      timers.forEach(clearInterval);
      ticker.stop();
      genesis.stop();
      live.stop();
      await Promise.all([mesh.drain(), computes.drain(), reviewing.stop()]);
      await recorder.stop();
    },
  };
}
