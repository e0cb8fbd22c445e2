import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { announce, pingAll } from './seed.ts';
import { nodesOfEveryState, seedEveryState } from './seed-all-states.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { startHttpServer } from '../../test/support/http-server.ts';
import { publishedAt } from '../../test/support/network-truth.ts';
import { signInReviewer } from '../../test/support/reviewer.ts';
import { startTestServer } from '../../test/support/server.ts';
import {
  joinTimes,
  leavers,
  pastHeartbeats,
  seedHistory,
  seedNodes,
  withOffers,
} from '../../scripts/demo/history.ts';
import { seedNames, seedStatusHistory } from '../../scripts/demo/seed.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { announceBody, createNode } from '../../scripts/fleet/node-lifecycle.ts';
import { planFleet } from '../../scripts/fleet/plan.ts';
import { between, seededRandom, shuffled } from '../../scripts/fleet/random.ts';
import { createDatabase } from './database.ts';

/** Nodes of the plan; some of them are left out. */
const FLEET = { nodes: 320, computes: 70, intervalMs: 20_000, seed: 7 };
/** Letters that the browser of the pictures has no font for. */
const WITHOUT_FONT = /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Arabic}]/u;
/** States of nodes that send heartbeats; every 24th sends none. */
const STATUSES = [...Array<'online'>(20).fill('online'), 'syncing', 'idle', 'idle'] as const;
const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1000, 60_000, 3_600_000];
const DAY_MS = 24 * HOUR_MS;
/** The last heartbeats are spread over so many seconds; the pages show the end of a minute and so much of the next. */
const [BEATS_S, REST_MS] = [80, 5000];
/** The offers are announced after so many of them. */
const ANNOUNCED_S = 40;
/** How long the bootstrap peer takes to answer, and how many checks: it goes on thinking about the next. The first are slow. */
const GENESIS = { leastMs: 30, mostMs: 45, checks: 80, thinkingMs: 60_000 };

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
    /** Names of three compute offers, with commas between them. */
    offers: string;
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
  const random = seededRandom(FLEET.seed, 'lifecycle');
  let checks = 0;
  const genesis = await startHttpServer((_, response) => {
    if (++checks > GENESIS.checks) {
      const thinking = setInterval(() => response.writeProcessing(), GENESIS.thinkingMs).unref();
      return void response.once('close', () => clearInterval(thinking));
    }
    const slow = checks % 17 === 0 ? 30 : 0;
    setTimeout(() => void response.end(), slow + between(random, GENESIS.leastMs, GENESIS.mostMs));
  });
  const end = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS + REST_MS;
  const now = end - BEATS_S * SECOND_MS;
  const clock = new FakeClock(now);
  const setClock = (ms: number) => void (clock.now = ms);
  const folder = temporaryDirectory();
  const truthFile = join(folder.path, 'truth.json');
  writeFileSync(truthFile, JSON.stringify(publishedAt(clock.now)));
  const { data, drop } = await createDatabase();
  const server = await startTestServer({
    clock: clock.read,
    genesisCheck: { intervalMs: 0, timeoutMs: HOUR_MS },
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

  const plan = planFleet(FLEET);
  const planned = plan.nodes.filter(({ label }) => !WITHOUT_FONT.test(label));
  const hosts = planned.filter(({ computes }) => computes.length > 0);
  // The nodes whose pages are shown joined long ago, and the day before yesterday.
  const [veteran, newcomer] = hosts;
  if (!veteran || !newcomer) throw new Error('the fleet has too few hosts');
  const ages = new Map([
    [veteran.nodeId, 140 * DAY_MS],
    [newcomer.nodeId, 2 * DAY_MS],
  ]);
  const fleet = pastHeartbeats(planned, shuffled(random, joinTimes(planned.length, now))).map(
    (node, n) => {
      const age = ages.get(node.nodeId);
      if (age !== undefined) return { ...node, joinedAt: now - age };
      if (n % (STATUSES.length + 1) !== 0) return node;
      const silentMs = ((n * 5) % 60) * HOUR_MS + 9 * MINUTE_MS;
      return { ...node, silentSince: Math.max(node.joinedAt, now - silentMs) };
    },
  );
  const nodes = [...fleet, ...nodesOfEveryState(now)];
  const past = await seedNodes(server, nodes, now, setClock);
  const joined = new Map(past.map(({ nodeId, joinedAt }) => [nodeId, joinedAt]));
  await seedNames(server, { nodes: planned }, joined, now, setClock);
  setClock(now - 2 * HOUR_MS);
  const states = await seedEveryState(server, clock);
  setClock(now);
  const gone = leavers(plan.replacements, now);
  const all = [...withOffers(past, planned), ...gone];
  await seedHistory(server, all, now, seededRandom(FLEET.seed, 'history'));
  await seedStatusHistory(server, FLEET, now);

  const alive = nodes
    .filter(({ silentSince }) => silentSince === undefined)
    .map(({ joinedAt: _, ...node }, n) => ({ ...node, status: STATUSES[n % STATUSES.length] }));
  const simulated = hosts.map((node) => createNode(node, random));
  for (let second = 0; second < BEATS_S; second++) {
    // Within the minute that /status shows.
    if (second === ANNOUNCED_S)
      for (const node of simulated) await announce(url, announceBody(node, random));
    clock.advance(SECOND_MS);
    // About every 20 s, each with a rhythm of its own.
    const late = Math.floor(second / 20);
    const heard = alive.filter((_, n) => (second + n * 7 + ((n * n * late) % 7)) % 20 === 0);
    await pingAll(server, heard);
  }

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
      node: planned[0]?.nodeId ?? '',
      host: veteran.nodeId,
      newcomer: newcomer.nodeId,
      name: veteran.computes[0]?.name ?? '',
      offers: hosts
        .slice(0, 3)
        .flatMap(({ computes }) => computes[0]?.name ?? [])
        .join(),
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
