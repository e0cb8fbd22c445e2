import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { announce, pingAll } from './seed.ts';
import { seedEveryState } from './seed-all-states.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { startHttpServer } from '../../test/support/http-server.ts';
import { publishedAt } from '../../test/support/network-truth.ts';
import { signInReviewer } from '../../test/support/reviewer.ts';
import { startTestServer } from '../../test/support/server.ts';
import { joinTimes, seedHistory, type PastNode } from '../../scripts/demo/history.ts';
import { seedNames, seedStatusHistory } from '../../scripts/demo/seed.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { announceBody, createNode, pingBody } from '../../scripts/fleet/node-lifecycle.ts';
import { planFleet } from '../../scripts/fleet/plan.ts';
import { seededRandom } from '../../scripts/fleet/random.ts';
import { createDatabase } from './database.ts';

const FLEET = { nodes: 300, computes: 60, intervalMs: 20_000, seed: 7 };
const STATUSES = [...Array<'online'>(9).fill('online'), 'syncing', 'idle', 'offline'] as const;
const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
/** The heartbeats come at this time of a minute and are this old on the pages. */
const [SECONDS_MS, AGE_MS] = [45_000, 20_000];
/** The first name was registered this long ago (ms). */
const OLDEST_NAME_MS = 30 * 3_600_000;

/** The service with a registration in every state, a fleet, and a day of history. */
export interface SeededService {
  url: string;
  /** What the pages link to. */
  seeded: Awaited<ReturnType<typeof seedEveryState>> & {
    node: string;
    host: string;
    /** A node that joined two days ago. */
    newcomer: string;
    name: string;
    /** The token of an unused invitation. */
    invitation: string;
  };
  /** A session's, for a browser. */
  cookies(role: 'administrator' | 'reviewer'): { name: string; value: string; url: string }[];
  /** Makes the review queue fail with an internal error, until it is mended. */
  breakReviews(): Promise<void>;
  mendReviews(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it on a free port and a database of its own. Its clock stands still: no node falls silent meanwhile. */
export async function startSeededService(): Promise<SeededService> {
  const genesis = await startHttpServer((_, response) => void response.end());
  const clock = new FakeClock(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS + SECONDS_MS);
  const folder = temporaryDirectory();
  const truthFile = join(folder.path, 'truth.json');
  writeFileSync(truthFile, JSON.stringify(publishedAt(clock.now)));
  const { data, drop } = await createDatabase();
  const server = await startTestServer({
    clock: clock.read,
    env: {
      ...data,
      TRUTH_FILE: truthFile,
      LOG_LEVEL: 'error',
      RATE_LIMITS: 'off',
      GENESIS_HEALTH_URL: genesis.url,
      GENESIS_REGION: 'EU',
      GENESIS_LAT: '52.5',
      GENESIS_LNG: '13.5',
      GENESIS_SINCE: '2026-01-01',
    },
  });
  const { url, services, database } = server;

  const random = seededRandom(FLEET.seed, 'lifecycle');
  const plan = planFleet(FLEET);
  const nodes = plan.nodes.map((node) => createNode(node, random));
  const hosts = nodes.filter((node) => node.plan.computes.length > 0);
  // The nodes whose pages are shown joined long ago, and the day before yesterday.
  const [veteran, newcomer] = hosts;
  if (!veteran || !newcomer) throw new Error('the fleet has too few hosts');
  clock.advance(-100 * DAY_MS);
  await pingAll(server, [pingBody(veteran, 'online')]);
  clock.advance(98 * DAY_MS);
  await pingAll(server, [pingBody(newcomer, 'online')]);
  clock.advance(2 * DAY_MS);
  const joined = joinTimes(nodes.length, clock.now);
  const past = nodes.map(({ plan }, n): PastNode => {
    const joinedAt =
      plan === newcomer.plan ? clock.now - 2 * DAY_MS : plan === veteran.plan ? 0 : joined[n];
    const [lat, lng] = [plan.lat, plan.lng].map((degrees) => Math.round(degrees * 2) / 2);
    return { ...plan, lat: lat ?? 0, lng: lng ?? 0, joinedAt: joinedAt ?? 0 };
  });
  await seedHistory(server, past, clock.now, seededRandom(FLEET.seed, 'history'));
  clock.advance(-OLDEST_NAME_MS);
  await seedNames(server, plan, () => clock.advance(OLDEST_NAME_MS / FLEET.computes));
  await seedStatusHistory(server, FLEET, clock.now);
  const states = await seedEveryState(server, clock);
  await pingAll(
    server,
    nodes.map((node, n) => pingBody(node, STATUSES[n % STATUSES.length] ?? 'online')),
  );
  for (const node of hosts) await announce(url, announceBody(node, random));
  // Into the next minute, so that /status shows the heartbeats of a full one.
  clock.advance(AGE_MS);

  const administrator = await signInReviewer(services, { role: 'administrator' });
  const reviewer = await signInReviewer(services, { email: 'bob@example.org' });
  const invitation = await services.accounts.invite('system', {
    email: 'eve@example.org',
    role: 'reviewer',
  });
  return {
    url,
    seeded: {
      ...states,
      node: nodes[0]?.plan.nodeId ?? '',
      host: veteran.plan.nodeId,
      newcomer: newcomer.plan.nodeId,
      name: hosts[0]?.plan.computes[0]?.name ?? '',
      invitation,
    },
    cookies: (role) =>
      (role === 'reviewer' ? reviewer : administrator).cookie.split('; ').map((pair) => {
        const [name = '', ...value] = pair.split('=');
        return { name, value: value.join('='), url };
      }),
    async breakReviews() {
      await database.db.execute('alter table review_takes rename to hidden_takes');
    },
    async mendReviews() {
      await database.db.execute('alter table hidden_takes rename to review_takes');
    },
    async stop() {
      await server.stop();
      await genesis.stop();
      await drop();
      folder.remove();
    },
  };
}
