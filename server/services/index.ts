import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../../db/client.ts';
import { unavailable } from '../../db/retry.ts';
import { createAuth } from '../auth.ts';
import type { Config } from '../config.ts';
import { GenesisMonitor } from '../genesis-monitor.ts';
import { fixedAnswer } from '../live/answer.ts';
import { GroupWriter } from '../live/group-writer.ts';
import { LiveModel } from '../live/model.ts';
import { Ticker } from '../live/ticker.ts';
import { StatusRecorder } from '../status-recorder.ts';
import { WebhookSender } from '../webhook-sender.ts';
import { parse } from '../schemas/errors.ts';
import type { HistoryFilter, HistoryQuery } from '../schemas/history.ts';
import type { ReviewSearch } from '../schemas/review-search.ts';
import { Announce, type ComputesQuery } from '../schemas/computes.ts';
import type { PeerFilter } from '../schemas/mesh-query.ts';
import type { PaymentQuery } from '../schemas/payments.ts';
import type { RegistrySearch } from '../schemas/registry-search.ts';
import type { ReservedNamesQuery } from '../schemas/reserved-names.ts';
import { createAnnounceWriter } from './announce-writer.ts';
import * as blockedNodes from './blocked-nodes.ts';
import { alternatives, availability } from './availability.ts';
import { ChangeStream } from './changes.ts';
import * as computesService from './computes.ts';
import type { ServiceContext } from './context.ts';
import { history, historyActors, wholeHistory } from './history.ts';
import { nameDetails, nodeDetails } from './details.ts';
import { follow } from './follow.ts';
import * as mesh from './mesh.ts';
import { NameIndex } from './name-index.ts';
import { describePing } from './ping-description.ts';
import * as payments from './payments.ts';
import { decodeFile } from './payments-import.ts';
import { createPingWriter } from './ping-writer.ts';
import * as registrationService from './registration.ts';
import { searchRegistry } from './registry-search.ts';
import { RegistryView } from './registry.ts';
import * as reservedNames from './reserved-names.ts';
import * as decisions from './review-decisions.ts';
import { ReviewIndex } from './review-index.ts';
import * as reviewDesk from './review-desk.ts';
import * as takes from './review-takes.ts';
import * as review from './review.ts';
import * as invitations from './invitations.ts';
import * as ownAccount from './own-account.ts';
import * as reviewers from './reviewers.ts';
import { ReviewTimes } from './review-times.ts';
import * as signIn from './sign-in.ts';
import { summarize } from './status.ts';
import { unnamedNodes } from './unnamed-nodes.ts';

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

/** How often holds that ran out are ended, milliseconds. */
const SWEEP_MS = 30_000;

export async function createServices(options: ServicesOptions) {
  const { config, database, log, clock = Date.now } = options;
  const serverId = randomBytes(6).toString('hex');
  const startedAt = clock();
  const { db } = database;
  const accounts: reviewers.Accounts = { db, auth: createAuth({ config, db, log }), clock };
  const recorder = new StatusRecorder(db, serverId, clock, log);
  const live = new LiveModel(database, serverId, clock);
  const names = new NameIndex(live);
  const writePings = createPingWriter(db, serverId);
  const writeAnnounces = createAnnounceWriter(db, serverId);

  const s: ServiceContext & { names: NameIndex; queue: ReviewTimes } = {
    config,
    db,
    live,
    names,
    queue: new ReviewTimes(live),
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

  const webhook =
    config.reviewWebhook === null ? null : new WebhookSender(db, config.reviewWebhook, clock, log);

  const meshView = new mesh.MeshView(s);
  const computesView = new computesService.ComputesView(s);
  const registryView = new RegistryView(s);
  const desk: reviewDesk.ReviewContext = { ...s, index: new ReviewIndex(live), computesView };
  const queueWatch = new reviewDesk.QueueWatch(desk);
  const sweeper = new decisions.DecisionSweeper(s);
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
    const database_ = await Promise.race([
      database.ping().then(
        () => 'up' as const,
        () => 'down' as const,
      ),
      new Promise<'down'>((resolve) => setTimeout(() => resolve('down'), 1000).unref()),
    ]);
    return {
      ok: live.loaded,
      database: database_,
      readModel: live.loaded ? ('loaded' as const) : ('loading' as const),
      degraded: database_ === 'down' || live.degraded(now),
      updatedAt: new Date(live.asOf(now)).toISOString(),
    };
  };

  let sweeping: NodeJS.Timeout | undefined;

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
      confirm: (input: Parameters<typeof registrationService.confirm>[1]) =>
        registrationService.confirm(s, input),
      sweep: () => registrationService.sweep(s),
    },
    review: {
      accept: (decision: review.Decision) => review.accept(s, decision),
      reject: (decision: review.Decision & { reason: string }) => review.reject(s, decision),
      revoke: (decision: review.Decision & { reason: string }) => review.revoke(s, decision),
      history: (id: string) => review.history(s, id),
      /** Sends what the webhook has not been told yet; runs by itself. */
      sendMessages: () => webhook?.send() ?? Promise.resolve(),
      queue: (asked: { reviewer: string; open?: string | undefined }) =>
        reviewDesk.reviewQueue(desk, asked),
      next: (after: { note: string; reviewer: string }) => reviewDesk.nextInQueue(desk, after),
      registration: (asked: { note: string; reviewer: string }) =>
        reviewDesk.reviewedRegistration(desk, asked),
      search: (search: ReviewSearch) => reviewDesk.searchRegistrations(desk, search),
      changes: (sessionId: string, signal: AbortSignal) =>
        queueWatch.changes(() => reviewers.sessionHolds(db, sessionId, clock()), signal),
      take: (input: { note: string; reviewer: string; over?: boolean }) => takes.take(s, input),
      putBack: (reviewer: string) => takes.putBack(s, reviewer),
      async decide(decision: decisions.NewDecision) {
        const made = await decisions.decide(s, decision);
        sweeper.wake();
        return made;
      },
      undo: (decision: { note: string; reviewer: string }) => decisions.undo(s, decision),
      sweepDecisions: () => decisions.sweepDecisions(s),
    },
    nodes: {
      block: (input: blockedNodes.BlockInput) => blockedNodes.block(s, input),
      unblock: (input: blockedNodes.BlockInput) => blockedNodes.unblock(s, input),
      blocked: () => blockedNodes.blockedNow(s),
    },
    payments: {
      decode: decodeFile,
      import: (file: Parameters<typeof payments.importPayments>[1], reviewer: string) =>
        payments.importPayments(s, file, reviewer),
      list: (query: PaymentQuery) => payments.listPayments(s, query),
      paidAndWaiting: () => payments.paidAndWaiting(s),
      accept: (notes: string[], reviewer: string) => payments.acceptPaid(s, notes, reviewer),
      outcomes: (notes: string[]) => payments.outcomes(s, notes),
    },
    history: {
      page: (query: HistoryQuery) => history(s, query),
      whole: (filter: HistoryFilter) => wholeHistory(s, filter),
      actors: () => historyActors(s),
    },
    reservedNames: {
      list: (query: ReservedNamesQuery) => reservedNames.listReserved(s, query),
      reserve: (name: Parameters<typeof reservedNames.reserveName>[1], reviewer: string) =>
        reservedNames.reserveName(s, name, reviewer),
      release: (name: Parameters<typeof reservedNames.releaseName>[1], reviewer: string) =>
        reservedNames.releaseName(s, name, reviewer),
    },
    reviewers: reviewersOf(accounts),
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
    /** Begins what runs in the background: the checks of Genesis, the end of holds. */
    start() {
      s.genesis.start();
      recorder.start();
      if (webhook) {
        webhook.start();
        live.registrations.follow(() => void webhook.send());
      }
      sweeper.wake();
      sweeping = setInterval(() => {
        // Of a process that died, and of one whose clock is ahead.
        sweeper.wake();
        registrationService
          .sweep(s)
          .catch((error: unknown) => log.warn({ err: error }, 'sweep failed'));
      }, SWEEP_MS).unref();
    },
    /** Ends the event streams; clients come back with their position, to this server or another. */
    endStreams: () => s.ticker.stop(),
    /** Ends streams and timers, and commits what is still waiting. The database stays open. */
    async stop() {
      clearInterval(sweeping);
      s.ticker.stop();
      s.genesis.stop();
      live.stop();
      await sweeper.stop();
      await Promise.all([s.pings.drain(), s.announces.drain(), webhook?.stop()]);
      await recorder.stop();
    },
  };
}

/** Accounts: who is signed in, what administrators do, and what everybody does with their own. */
function reviewersOf(a: reviewers.Accounts) {
  type Own = Parameters<typeof ownAccount.rename>[1];
  return {
    signedIn: (headers: Headers) => reviewers.signedIn(a, headers),
    signIn: (credentials: { email: string; password: string }, headers: Headers) =>
      signIn.signIn(a, credentials, headers),
    secondFactor: (code: string, headers: Headers) => signIn.secondFactor(a, code, headers),
    waitsForSecondFactor: (headers: Headers) => signIn.waitsForSecondFactor(a, headers),
    signOut: (headers: Headers) => signIn.signOut(a, headers),

    firstLink: () => invitations.firstLink(a),
    invitation: (token: string) => invitations.invitation(a, token),
    join: (token: string, input: unknown) => invitations.join(a, token, input),

    list: () => reviewers.list(a),
    invite: (actor: string, input: unknown) => invitations.invite(a, actor, input),
    renewAccess: (actor: string, email: string) => invitations.renewAccess(a, actor, email),
    withdraw: (change: { actor: string; email: string }) => invitations.withdraw(a, change),
    setRole: (change: Parameters<typeof reviewers.setRole>[1]) => reviewers.setRole(a, change),
    deactivate: (change: { actor: string; email: string }) => reviewers.deactivate(a, change),
    reactivate: (change: { actor: string; email: string }) => reviewers.reactivate(a, change),

    rename: (own: Own, input: unknown) => ownAccount.rename(a, own, input),
    changePassword: (own: Own, input: unknown) => ownAccount.changePassword(a, own, input),
    beginSecondFactor: (own: reviewers.Reviewer, password: string, headers: Headers) =>
      ownAccount.beginSecondFactor(a, own, password, headers),
    confirmSecondFactor: (own: Own, code: string, headers: Headers) =>
      ownAccount.confirmSecondFactor(a, own, code, headers),
    newRecoveryCodes: (password: string, headers: Headers) =>
      ownAccount.newRecoveryCodes(a, password, headers),
    endSecondFactor: (password: string, headers: Headers) =>
      ownAccount.endSecondFactor(a, password, headers),
    sessions: (own: Own) => ownAccount.sessions(a, own),
    endSession: (own: Own, id: string) => ownAccount.endSession(a, own, id),
    endOtherSessions: (own: Own) => ownAccount.endOtherSessions(a, own),
  };
}
