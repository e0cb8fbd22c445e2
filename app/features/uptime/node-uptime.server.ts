import { isAppError } from '#server/common/errors.schema.ts';
import type { NodeOutages, NodeUptime } from '#server/uptime/index.ts';
import type { Services } from '#server/services.ts';

/** The uptime of a node for its page; null for a node without one; `unavailable` while the database is away. */
export type LoadedUptime = NodeUptime | 'unavailable' | null;

export const loadUptime = (
  { uptime }: Pick<Services, 'uptime'>,
  node: string,
): Promise<LoadedUptime> => loaded(() => uptime.uptime(node));

/** The same of a compute offer: when it was announced. @param id `<nodeId>:<name>` */
export const loadOfferUptime = (
  { uptime }: Pick<Services, 'uptime'>,
  id: string,
): Promise<LoadedUptime> => loaded(() => uptime.offerUptime(id));

/** The outages of a node and its last 90 days, as {@link loadUptime}. @param max how many outages, the newest first */
export const loadOutages = (
  { uptime }: Pick<Services, 'uptime'>,
  node: string,
  max: number,
): Promise<NodeOutages | 'unavailable' | null> => loaded(() => uptime.outages(node, max));

/** The share of the time since a moment (ISO 8601) in which a node was online; null if it isn't known. */
export async function loadShareSince(
  { uptime }: Pick<Services, 'uptime'>,
  node: string,
  at: string,
): Promise<number | null> {
  const share = await loaded(() => uptime.shareSince(node, Date.parse(at)));
  return share === 'unavailable' ? null : share;
}

/** Outages and days of a node as they concern a name that became active at a moment (ISO 8601): what was before isn't its own. */
export function sinceActive(outages: NodeOutages, at: string): NodeOutages {
  const { days } = outages;
  const before = Math.max(
    days.before,
    Math.floor((Date.parse(at) - Date.parse(days.first)) / DAY_MS),
  );
  const latest = outages.latest.filter(({ to }) => to === null || to > at);
  return {
    ...outages,
    latest,
    total: latest.length,
    days: {
      ...days,
      before,
      offline: days.offline.map((seconds, n) => (n < before ? null : seconds)),
    },
  };
}

const DAY_MS = 86_400_000;

async function loaded<Loaded>(load: () => Promise<Loaded>): Promise<Loaded | 'unavailable' | null> {
  try {
    return await load();
  } catch (error) {
    if (isAppError(error) && error.code === 'not_found') return null;
    if (isAppError(error) && error.code === 'unavailable') return 'unavailable';
    throw error;
  }
}

/**
 * The uptime of a node over the last 30 days, from 0 to 1, for lists, badges and pictures; null if nothing was
 * measured, it was never heard of, or the database is away.
 */
export async function monthUptime(
  { uptime }: Pick<Services, 'uptime'>,
  node: string,
): Promise<number | null> {
  return (await uptime.monthShares([node])).get(node) ?? null;
}
