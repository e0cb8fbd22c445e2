import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { onTimeout } from '#db/timeout.ts';
import { unavailable } from '#server/common/with-retry.ts';
import { createAuth } from '#server/accounts/auth.ts';
import type { Config } from './config.ts';
import { GenesisMonitor } from '#server/genesis/monitor.ts';
import { fixedAnswer } from '#server/live/answer-cache.ts';
import { GroupWriter } from '#server/live/group-writer.ts';
import { LiveModel } from '#server/live/read-model.ts';
import { Ticker } from '#server/live/ticker.ts';
import { StatusRecorder } from '#server/status/recorder.ts';
import { parse } from '#server/common/errors.schema.ts';
import { Announce, type ComputesQuery } from '#server/computes/computes.schema.ts';
import type { PeerFilter } from '#server/mesh/mesh-query.schema.ts';
import type { RegistrySearch } from '#server/registry/search.schema.ts';
import { accountsOf } from '#server/accounts/index.ts';
import { createAnnounceWriter } from '#server/computes/announce-writer.ts';
import { alternatives, availability } from '#server/registry/availability.ts';
import { ChangeStream } from '#server/live/change-stream.ts';
import * as computesService from '#server/computes/computes.ts';
import { nameDetails, nodeDetails } from '#server/registry/details.ts';
import { follow, type FollowContext } from '#server/registration/status.ts';
import * as mesh from '#server/mesh/mesh.ts';
import { NameIndex } from '#server/registry/name-index.ts';
import { describePing } from '#server/mesh/describe.ts';
import { createPingWriter } from '#server/mesh/ping-writer.ts';
import * as registrationService from '#server/registration/registration.ts';
import { forget, FORGET_MS } from './retention.ts';
import { searchRegistry } from '#server/registry/search.ts';
import { RegistryView } from '#server/registry/view.ts';
import { ReviewIndex } from '#server/review/index-by-note.ts';
import { ReviewTimes } from '#server/registration/queue-estimate.ts';
import type { Accounts } from '#server/accounts/reviewers.ts';
import { createReviewing } from '#server/review/reviewing.ts';
import { summarize } from '#server/status/summary.ts';
import { Timelines } from '#server/registration/timeline.ts';
import { unnamedNodes } from '#server/mesh/unnamed-nodes.ts';

/**
 * Everything the service can do, built once by main.ts and handed to routes (as Remix's load context)
 * and procedures. Nothing of HTTP gets in here.
 */
export type Services = Awaited<ReturnType<typeof createServices>>;

export interface ServicesOptions {
  config: Config;
  database: Database;
  log: Logger;
  /** Milliseconds since 1970. */
  clock?: () => number;
  onGroup?: (writer: 'pings' | 'announces', size: number) => void;
}

/** How often holds that ran out are ended, and what a server that died left decided is carried out, milliseconds. */
const SWEEP_MS = 30_000;

export async function createServices(options: ServicesOptions) {
  const { config, database, log, clock = Date.now } = options;
  const serverId = randomBytes(6).toString('hex');
  const startedAt = clock();
  const { db } = database;
  const accounts: Accounts = { db, auth: createAuth({ config, db, log }), clock };
  const recorder = new StatusRecorder(db, serverId, clock, log);
  const live = new LiveModel(database, serverId, clock);
  const names = new NameIndex(live);
  const reviewIndex = new ReviewIndex(live);
  const writePings = createPingWriter(db, serverId);
  const writeAnnounces = createAnnounceWriter(db, serverId);

  const s: FollowContext = {
    config,
    db,
    live,
    names,
    reviewIndex,
    reviewTimes: new ReviewTimes(live, reviewIndex),
    timelines: new Timelines(db),
    clock,
    log,
    serverId,
    ticker: new Ticker(clock),
    genesis: new GenesisMonitor(config.genesis.healthUrl, clock, (health) =>
      recorder.genesis(health),
    ),
    pings: new GroupWriter({
      maxGroup: 1000,
      maxWaiting: 50_000,
      overflow: unavailable,
      onGroup: (size) => options.onGroup?.('pings', size),
      async commit(pings) {
        const written = await writePings(pings);
        live.peers.apply(written.map(({ row }) => row));
        recorder.pings(pings.length);
        return written;
      },
    }),
    announces: new GroupWriter({
      // An announce has up to 256 computes: groups are bounded by announces, bodies bound the rest.
      maxGroup: 100,
      maxWaiting: 10_000,
      overflow: unavailable,
      onGroup: (size) => options.onGroup?.('announces', size),
      async commit(announces) {
        const written = await writeAnnounces(announces);
        live.computes.apply(written.flat());
        recorder.announces(announces.length);
        return written;
      },
    }),
  };

  const meshView = new mesh.MeshView(s);
  const computesView = new computesService.ComputesView(s);
  const registryView = new RegistryView(s);
  const reviewing = createReviewing(s, computesView);
  await live.load();
  await recorder.refresh();

  const meshChanges = new ChangeStream(s, {
    table: live.peers,
    rest: () => `${s.genesis.version}${live.degraded(clock()) ? '.degraded' : ''}`,
    head: (now) => meshView.head(now),
    aged: (row, then, now) => mesh.peerStatus(row, then) !== mesh.peerStatus(row, now),
    present: (row, now) => (live.isBlocked(row.id) ? null : mesh.presentPeer(row, now)),
    wasShown: () => true,
  });
  const computesChanges = new ChangeStream(s, {
    table: live.computes,
    rest: () => (live.degraded(clock()) ? 'degraded' : ''),
    head: (now) => computesView.head(now),
    aged: (row, then, now) =>
      computesService.computeStatus(row, then, config.computeFreshMs) !==
      computesService.computeStatus(row, now, config.computeFreshMs),
    present: (row, now) =>
      computesView.listed(row)
        ? computesService.presentCompute(row, now, config.computeFreshMs)
        : null,
    wasShown: (row) => computesView.wasListed(row),
  });

  const pingDescription = fixedAnswer(JSON.stringify(describePing(config)));

  /** Whether this process can serve, and how level its read model is with the database. */
  const ready = async () => {
    const now = clock();
    const database_ = await new Promise<'up' | 'down'>((resolve) => {
      const endWait = onTimeout(1000, () => resolve('down'));
      database
        .ping()
        .then(
          () => resolve('up'),
          () => resolve('down'),
        )
        .finally(endWait);
    });
    return {
      ok: live.loaded,
      database: database_,
      readModel: live.loaded ? ('loaded' as const) : ('loading' as const),
      degraded: database_ === 'down' || live.degraded(now),
      updatedAt: new Date(live.asOf(now)).toISOString(),
    };
  };

  const timers: NodeJS.Timeout[] = [];
  const repeat = (what: string, ms: number, work: () => Promise<void>) => {
    const run = () =>
      void work().catch((error: unknown) => log.warn({ err: error }, `the ${what} failed`));
    timers.push(setInterval(run, ms).unref());
  };

  return {
    config,
    mesh: {
      answer: () => meshView.answer(),
      ping: (body: unknown) => mesh.ping(s, body),
      describeAnswer: () => pingDescription,
      changes: (lastEventId: string | undefined, signal: AbortSignal) =>
        meshChanges.follow(lastEventId, signal),
      cursor: () => meshChanges.cursor(),
      list: (filter: PeerFilter, page: number, limit: number) => meshView.list(filter, page, limit),
      /** The peer as it is now, or null where no node of this id ever sent a heartbeat. */
      peer: (id: string) => {
        const row = live.peers.get(id);
        return row && !live.isBlocked(id) ? mesh.presentPeer(row, clock()) : null;
      },
      /** The peers at one point of the grid, in the order of the list. */
      at: (place: { lat: number; lng: number }) => meshView.at(place),
      node: (id: string) => nodeDetails(s, computesView, id, clock()),
    },
    computes: {
      answer: (query: ComputesQuery) => computesView.answer(query),
      announce: (body: unknown) =>
        computesService.announce(s, parse(Announce, body, 'invalid_body')),
      changes: (lastEventId: string | undefined, signal: AbortSignal) =>
        computesChanges.follow(lastEventId, signal),
      cursor: () => computesChanges.cursor(),
      list: () => computesView.list(),
    },
    registry: {
      answer: () => registryView.answer(),
      infoAnswer: () => registryView.infoAnswer(),
      search: (search: RegistrySearch) => searchRegistry(s, registryView, search, clock()),
      name: (name: string) => nameDetails(s, name, clock()),
      /** Active names and since when, newest first. */
      names: () => registryView.info().directory,
      availability: (name: string) => availability(s, name),
      /** Free names near one that cannot be had. */
      alternatives: (name: string) => alternatives(s, name),
      /** Nodes that ping now and have no name. */
      unnamedNodes: (q: string) => unnamedNodes(s, q, clock()),
      /** The label that a start with this one gets. */
      shownLabel: registrationService.shownLabel,
      get: (id: string) => registrationService.registration(s, id),
      follow: (id: string) => follow(s, id),
      start: (input: Parameters<typeof registrationService.start>[1], idempotencyKey?: string) =>
        registrationService.start(s, input, idempotencyKey === undefined ? {} : { idempotencyKey }),
      /** Another confirmation text, while it waits for a reviewer. */
      correct: (input: { id: string; cashConfirm?: string | undefined }) =>
        registrationService.correctConfirmation(s, input),
      /** What came of a start with this key. */
      startedWith: (
        idempotencyKey: string,
        input: Parameters<typeof registrationService.start>[1],
      ) => registrationService.startedWith(s, idempotencyKey, input),
      confirm: (input: Parameters<typeof registrationService.confirm>[1]) =>
        registrationService.confirm(s, input),
      sweep: () => registrationService.sweep(s),
    },
    ...reviewing.services,
    reviewers: accountsOf(accounts),
    health: {
      ready,
      /** Age of the read model against the database, ms. */
      readModelAgeMs: () => live.ageMs(clock()),
      counts: () => ({ peers: live.peers.size, computes: live.computes.size }),
      genesis: () => s.genesis.health,
    },
    status: {
      async summary() {
        const { database: reachable } = await ready();
        if (reachable === 'up') await recorder.refresh();
        return summarize(s, {
          startedAt,
          embedded: database.embedded,
          database: reachable,
          minutes: recorder.minutes(),
        });
      },
      /** Writes the minutes that are over; runs by itself at the end of each. */
      write: () => recorder.write(),
    },
    /** Deletes what was to be kept for a time that is over; runs by itself. */
    forget: () => forget(s),
    /** Begins what runs in the background. */
    start() {
      s.genesis.start();
      recorder.start();
      reviewing.start();
      timers.push(setInterval(reviewing.sweep, SWEEP_MS).unref());
      repeat('end of holds', SWEEP_MS, () => registrationService.sweep(s));
      repeat('deletion of what is over', FORGET_MS, () => forget(s));
    },
    /** Ends the event streams; clients come back with their position, to this server or another. */
    endStreams: () => s.ticker.stop(),
    /** Ends streams and timers, and commits what is still waiting. The database stays open. */
    async stop() {
      timers.forEach(clearInterval);
      s.ticker.stop();
      s.genesis.stop();
      live.stop();
      await Promise.all([s.pings.drain(), s.announces.drain(), reviewing.stop()]);
      await recorder.stop();
    },
  };
}
