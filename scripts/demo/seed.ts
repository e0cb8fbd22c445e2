import { statusMinutes } from '#db/schema/index.ts';
import type { RunningServer } from '#server/server.ts';
import type { FleetPlan } from '../fleet/plan.ts';
import { between, seededRandom } from '../fleet/random.ts';

const HOUR_MS = 3_600_000;
const MINUTES_PER_DAY = 24 * 60;

/** How old a registration that still waits is, hours: its reservation has not expired. */
const WAITING_HOURS = 30;

/**
 * Registers the plan's compute names through the public functions, each some days after its node joined. Most become
 * active; every 10th waits for review and every 12th for payment, all of them since less than a day and a half.
 *
 * @param joined when the nodes joined, by ID (ms); names of others are not registered
 * @param setClock moves the service's clock (ms)
 */
export async function seedNames(
  { services: { registration, review } }: Pick<RunningServer, 'services'>,
  plan: Pick<FleetPlan, 'nodes'>,
  joined: ReadonlyMap<string, number>,
  now: number,
  setClock: (ms: number) => void,
): Promise<void> {
  const names = plan.nodes
    .flatMap((node) => node.computes.map(({ name }) => ({ node, name })))
    .filter(({ node }) => joined.has(node.nodeId))
    .map(({ node, name }, index, all) => {
      const state = stateOf(index + 1);
      const waitingMs = (WAITING_HOURS * (index + 1) * HOUR_MS) / all.length;
      const days = 1 + ((index * 7) % 24);
      const at = Math.min((joined.get(node.nodeId) ?? 0) + days * 24 * HOUR_MS, now - waitingMs);
      return { node, name, state, at: state === 'active' ? at : now - waitingMs };
    })
    .sort((one, other) => one.at - other.at);
  for (const { node, name, state, at } of names) {
    setClock(at);
    const { id } = await registration.start({
      action: 'start',
      name,
      label: node.label,
      class: node.class,
      region: node.region,
      nodeId: node.nodeId,
      kinds: ['node', 'compute'],
    });
    if (state === 'unpaid') continue;
    const { paymentNote: note } = await registration.confirm({ id });
    if (state === 'active')
      await review.decide({ note, reviewer: 'demo', decision: 'accept', reason: 'Made up.' });
  }
  setClock(now);
}

const stateOf = (count: number) =>
  count % 12 === 0 ? 'unpaid' : count % 10 === 0 ? 'unreviewed' : 'active';

/**
 * Fills the charts of /status with the 24 hours before now: heartbeats of a fleet of this size, a slow
 * hour of Genesis, two outages of Genesis, and a gap in which the service was down.
 *
 * @param fleet how many nodes send a heartbeat every `intervalMs`, and how many computes they announce
 */
export async function seedStatusHistory(
  { database }: Pick<RunningServer, 'database'>,
  fleet: { nodes: number; computes: number; intervalMs: number; seed: number },
  now = Date.now(),
): Promise<void> {
  const random = seededRandom(fleet.seed, 'history');
  const thisMinute = Math.floor(now / 60_000) * 60_000;
  const rows = Array.from({ length: MINUTES_PER_DAY - 1 }, (_, n) => {
    const failed = n > 1020 && n < 1033 ? 6 : n > 430 && n < 436 ? 2 : 0;
    const slow = n > 640 && n < 700 ? 45 : 0;
    const latency =
      14 + slow * between(random, 0, 1) + 6 * Math.sin(n / 130) + between(random, 0, 4);
    const load = 1 + 0.12 * Math.sin((n / MINUTES_PER_DAY) * 2 * Math.PI);
    const pings = fleet.nodes * (60_000 / fleet.intervalMs) * load * between(random, 0.96, 1);
    return {
      minute: new Date(thisMinute - (MINUTES_PER_DAY - 1 - n) * 60_000),
      server: 'demo',
      checksOk: 6 - failed,
      checksFailed: failed,
      latencySumMs: Math.round((6 - failed) * latency),
      latencyMaxMs: failed === 6 ? 0 : Math.round(latency * between(random, 1.1, 1.8)),
      pings: Math.round(pings),
      announces: Math.round(fleet.computes * load),
    };
  });
  await database.db.insert(statusMinutes).values(rows.filter((_, n) => n < 250 || n > 290));
}
