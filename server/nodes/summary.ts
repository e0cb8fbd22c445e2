import type { UptimeService } from '#server/uptime/index.ts';
import type { NodeDetails } from './details.ts';

/** What the map says about a node besides its heartbeats: its last 30 days, its names and its offers. */
export type NodeSummary = Awaited<ReturnType<typeof nodeSummary>>;

/**
 * The summary of a node. The days are read from the database at most once a minute, the share once a quarter of an hour.
 * @param details of the node; its names and offers are from memory
 */
export async function nodeSummary(
  uptime: Pick<UptimeService, 'monthShares' | 'monthStrips' | 'lastOutageEnd'>,
  id: string,
  { peer, names, computes }: NodeDetails,
) {
  const [shares, strips] = peer
    ? await Promise.all([uptime.monthShares([id]), uptime.monthStrips([id])])
    : [];
  const listed = computes.filter((offer) => offer.listed);
  return {
    id,
    /** From 0 to 1; null: not measured yet. */
    uptime: shares?.get(id) ?? null,
    days: strips?.get(id) ?? null,
    /** When its latest outage ended; null: it lasts, there was none in 90 days, or it isn't known. */
    lastOutage: strips?.has(id) ? uptime.lastOutageEnd(id) : null,
    names: names.map(({ name, kinds }) => ({ name, kinds })),
    offers: listed.length,
    /** Of available offers. */
    freeSlots: listed.reduce(
      (sum, { status, freeSlots }) => sum + (status === 'available' ? freeSlots : 0),
      0,
    ),
  };
}
