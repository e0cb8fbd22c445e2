import type { HistoryDays, PlaceHistoryDays } from '@mesh-registry/protocol/rest/history.schema.ts';
import type { Expired } from '#server/common/rooms.ts';
import { fixedAnswer } from '#server/live/index.ts';
import type { ServiceContext } from '#server/context.ts';
import type { ComputesService } from '#server/computes/index.ts';
import type { MeshService } from '#server/mesh/index.ts';
import type { NameIndex } from '#server/names/index.ts';
import { expiredHistory } from './expiry.ts';
import { NetworkGrowth } from './growth.ts';
import { MonthShares } from './month-shares.ts';
import { NodeHistories } from './node.ts';
import { OutageHistories } from './node-outages.ts';
import { PlaceHistory } from './place-history.ts';
import { QuarterEnds } from './quarter-ends.ts';
import { HistoryRecorder } from './recorder.ts';
import { expiredPeriods, ServicePeriods } from './service-periods.ts';
import { RecordedNetwork } from './totals.ts';
import { NetworkTrends, type TrendDays } from './trends.ts';

export { keptDays } from './expiry.ts';
export type { DayStrip } from './day-strip.ts';
export type { NodeOutages } from './node-outages.ts';
export type { NodeUptime, UptimeStrip } from './node.ts';
export type { Growth } from './growth.ts';
export type { TrendDay, Trends } from './trends.ts';
export { createOutages } from './outages.ts';
export { encodePlaces, PlaceCounts, storePlaces } from './place-history.ts';

export type UptimeService = ReturnType<typeof createUptime>;

/** When each node was heard of, and how the network was, in quarters of an hour. */
export function createUptime(
  context: ServiceContext,
  {
    computes,
    mesh,
    names,
  }: {
    computes: Pick<ComputesService, 'stats'>;
    mesh: Pick<MeshService, 'countSince'>;
    names: Pick<NameIndex, 'size'>;
  },
) {
  const { db, live, clock, serverId } = context;
  const quarterEnds = new QuarterEnds(live, clock);
  const network = new RecordedNetwork(db, clock);
  const places = new PlaceHistory(db, clock, network);
  const outages = new OutageHistories(context, network);
  const nodes = new NodeHistories(context, network, outages);
  const shares = new MonthShares(context, network);
  const trends = new NetworkTrends(network, clock);
  const growth = new NetworkGrowth(network, trends, mesh, clock);
  const periods = new ServicePeriods(db, serverId);
  const recorder = new HistoryRecorder(context, {
    network,
    places,
    periods,
    quarterEnds,
    others(now) {
      const { freeSlots, available, busy } = computes.stats(now);
      return { freeSlots, offers: available + busy, names: names.size };
    },
  });

  // The database may have lost something: what was recorded is read again, soon, and what was begun starts again.
  live.reloading.on(() => {
    network.reload();
    recorder.startAgain();
  });
  const expired: Expired[] = [...expiredHistory, expiredPeriods];

  return {
    expired,
    /** The body of GET /api/mesh/history. */
    network: (days: HistoryDays) => network.answer(days),
    /** The nodes of the last 90 days, and who joined and left today. */
    growth: () => growth.get(),
    /** How the network grew, by the day. */
    trends: (days: TrendDays) => trends.get(days),
    /** The body of GET /api/mesh/history?node=. Reads the database. */
    node: async (id: string, days: HistoryDays) =>
      fixedAnswer(JSON.stringify(await nodes.history(id, days))),
    /** The body of GET /api/mesh/history/places without `at`. */
    placeSteps: (days: PlaceHistoryDays) => places.list(days),
    /** The body with `at`, of the step that began at this moment (ms). May read the database. @throws AppError `not_found`, `unavailable` */
    placesAt: (days: PlaceHistoryDays, at: number) => places.step(days, at),
    /** The uptime of a node, for a page. Reads the database. @throws AppError `not_found`, `unavailable` */
    uptime: (id: string) => nodes.uptime(id),
    /** The share of the time from a moment (ms) on in which a node was online, within 90 days. @throws as `uptime` */
    shareSince: (id: string, from: number) => nodes.shareSince(id, from),
    /** The uptime of a compute offer: when it was announced. @param id `<nodeId>:<name>` */
    offerUptime: (id: string) => nodes.offerUptime(id),
    /** The uptime of nodes over the last 30 days, from 0 to 1. Reads each node at most once a quarter of an hour. */
    monthShares: (ids: Iterable<string>) => shares.of(ids),
    /**
     * The outages of a node over 90 days, up to now, and how long it was offline on each day, for a page. Reads the
     * database at most once a minute. @param max how many outages, the newest first @throws AppError `not_found`, `unavailable`
     */
    outages: (id: string, max: number) => outages.ofNode(id, max),
    /** How long nodes were offline on each of the last 30 days, for lists. Reads each node at most once a minute. */
    monthStrips: (ids: Iterable<string>) => outages.monthStrips(ids),
    /** When the latest outage of a node ended, once its strip is here. Asks no database. */
    lastOutageEnd: (id: string) => outages.lastEnd(id),
    /** Since when (ms) this server has been up, with its database, without interruption. */
    upSince: () => periods.since,
    /** Reads everything that has been recorded. */
    async load() {
      network.reload();
      await Promise.all([network.refresh(), places.refresh()]);
    },
    /** Notes that this server is up, and records the last quarter unless that is done. Also runs by itself. */
    tick: () => recorder.tick(),
    start: () => recorder.start(),
    stop: () => recorder.stop(),
  };
}
