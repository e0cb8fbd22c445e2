import { historyDays, historyQuarters, nodeDays } from '#db/schema.ts';
import type { TestServer } from '../../test/support/server.ts';
import { between, chance, type Random } from '../fleet/random.ts';

const QUARTER_MS = 15 * 60_000;
const DAY_MS = 96 * QUARTER_MS;
const DAYS = 91;

/**
 * Writes 90 days of history: the service was away for two hours, and each node for a few hours now and then.
 * @param now ms
 */
export async function seedHistory(
  { database: { db }, services }: TestServer,
  nodes: string[],
  now: number,
  random: Random,
): Promise<void> {
  const last = Math.floor(now / QUARTER_MS) * QUARTER_MS - QUARTER_MS;
  const first = last - DAYS * DAY_MS;
  const away = (at: number) => Math.abs(at - (last - 1.4 * DAY_MS)) < 4 * QUARTER_MS;
  const totals = {
    online: 280,
    syncing: 6,
    idle: 4,
    offline: 10,
    joined: 1,
    left: 0,
    freeSlots: 900,
  };
  const quarters = [];
  for (let at = first; at <= last; at += QUARTER_MS)
    quarters.push({
      quarter: new Date(at),
      claimedBy: 'seed',
      claimedAt: new Date(at),
      measured: !away(at),
      ...(!away(at) && totals),
    });
  for (let at = 0; at < quarters.length; at += 1000)
    await db
      .insert(historyQuarters)
      .values(quarters.slice(at, at + 1000))
      .onConflictDoNothing();
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  for (let at = first; at <= last; at += DAY_MS)
    await db
      .insert(historyDays)
      .values({ day: day(at), quarters: 1, ...totals })
      .onConflictDoNothing();

  for (const node of nodes) {
    const bits = new Map<string, Uint8Array>();
    let awayUntil = 0;
    for (let at = first; at <= last; at += QUARTER_MS) {
      if (at > awayUntil && chance(random, 0.004))
        awayUntil = at + between(random, 1, 40) * QUARTER_MS;
      const own = bits.get(day(at)) ?? new Uint8Array(12);
      bits.set(day(at), own);
      const n = (at % DAY_MS) / QUARTER_MS;
      if (at > awayUntil) own[n >> 3] = (own[n >> 3] ?? 0) | (1 << (n & 7));
    }
    await db
      .insert(nodeDays)
      .values([...bits].map(([day, bits]) => ({ day, node, bits })))
      .onConflictDoNothing();
  }
  await services.meshHistory.load();
}
