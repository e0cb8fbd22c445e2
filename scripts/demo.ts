import type { ServerBuild } from '@remix-run/node';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { IN_MEMORY } from '#db/client.ts';
import { statusMinutes } from '#db/schema.ts';
import { parseConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { joinLink } from '#server/accounts/join-link.ts';
import { startServer, type RunningServer } from '#server/server.ts';
import { build, isBuilt } from './build.mjs';
import { planFleet, type FleetPlan } from './fleet/plan.ts';
import { formatProgress } from './fleet/progress.ts';
import { seededRandom } from './fleet/random.ts';
import { runFleet } from './fleet/run.ts';

/**
 * `npm run demo`: the service on a database in memory, with names already active and a fleet of nodes
 * sending real heartbeats over HTTP. Nothing is left behind. PORT and HOST as for `npm start`.
 */

const NODES = 500;
const COMPUTES = 60;
const INTERVAL_MS = 20_000;
const SEED = 7;
/** The bootstrap peer of the demo is the demo itself: its health check is real, over loopback. */
const GENESIS = { label: 'Genesis', region: 'EU', lat: 52.5, lng: 13.5 };

const root = join(import.meta.dirname, '..');

async function main(): Promise<void> {
  if (!isBuilt()) {
    console.log('Building once; the next start is quick.');
    await build({ quiet: true });
  }
  const port = process.env['PORT'] ?? '3000';
  const config = parseConfig({
    PORT: port,
    HOST: process.env['HOST'],
    DATA_DIR: IN_MEMORY,
    LOG_LEVEL: 'error',
    GENESIS_HEALTH_URL: `http://127.0.0.1:${port}/healthz`,
    GENESIS_LABEL: GENESIS.label,
    GENESIS_REGION: GENESIS.region,
    GENESIS_LAT: String(GENESIS.lat),
    GENESIS_LNG: String(GENESIS.lng),
    GENESIS_SINCE: '2026-01-01',
  });
  const server = await startServer({
    config,
    log: createLog(config.logLevel),
    build: (await import(
      pathToFileURL(join(root, 'build', 'server', 'index.js')).href
    )) as ServerBuild,
    clientDirectory: join(root, 'build', 'client'),
  });
  const plan = planFleet({ nodes: NODES, computes: COMPUTES, seed: SEED });
  await activateNames(server, plan);
  await inventYesterday(server);
  const token = await server.services.reviewers.firstLink();
  const review = token === null ? '' : `  Review  ${joinLink(server.url, token)}\n`;
  console.log(
    `\n  Map     ${server.url}/\n${review}\n  ${NODES} nodes are joining; Ctrl-C ends it.\n`,
  );

  const end = new AbortController();
  process.once('SIGINT', () => end.abort());
  process.once('SIGTERM', () => end.abort());
  let seconds = 0;
  await runFleet({
    url: server.url,
    plan,
    intervalMs: INTERVAL_MS,
    signal: end.signal,
    random: seededRandom(SEED),
    onProgress: (progress) => {
      if (seconds++ % 10 === 4) console.log(`  ${formatProgress(progress)[0]}`);
    },
  });
  await server.stop();
}

/** Every state of a registration, through the same functions as for everybody: most are active, some wait. */
async function activateNames({ services }: RunningServer, plan: FleetPlan): Promise<void> {
  const { registry, review } = services;
  let count = 0;
  for (const node of plan.nodes)
    for (const { name } of node.computes) {
      const { id } = await registry.start({
        action: 'start',
        name,
        label: node.label,
        class: node.class,
        region: node.region,
        nodeId: node.nodeId,
        kinds: ['node', 'compute'],
      });
      count++;
      if (count % 12 === 0) continue;
      await registry.confirm({ id });
      if (count % 10 === 0) continue;
      await review.accept({ id, reviewer: 'demo' });
    }
}

/**
 * Demo data: the day before this start, so that the charts of /status have something to show. Heartbeats
 * as so many nodes send them, a slow hour of Genesis, a short outage, and a time in which nothing ran.
 */
async function inventYesterday({ database }: RunningServer): Promise<void> {
  const random = seededRandom(SEED);
  const minutes = 24 * 60;
  const now = Math.floor(Date.now() / 60_000) * 60_000;
  const rows = Array.from({ length: minutes - 1 }, (_, n) => {
    const failed = n > 1020 && n < 1033 ? 6 : n > 430 && n < 436 ? 2 : 0;
    const slow = n > 640 && n < 700 ? 45 : 0;
    const latency = 14 + slow * random() + 6 * Math.sin(n / 130) + 4 * random();
    const awake = 1 + 0.12 * Math.sin((n / minutes) * 2 * Math.PI);
    return {
      minute: new Date(now - (minutes - 1 - n) * 60_000),
      server: 'demo',
      checksOk: 6 - failed,
      checksFailed: failed,
      latencySumMs: Math.round((6 - failed) * latency),
      latencyMaxMs: failed === 6 ? 0 : Math.round(latency * (1.1 + random() * random())),
      pings: Math.round(NODES * (60_000 / INTERVAL_MS) * awake * (0.96 + 0.04 * random())),
      announces: Math.round(COMPUTES * awake),
    };
  });
  const ran = rows.filter((_, n) => n < 250 || n > 290);
  await database.db.insert(statusMinutes).values(ran);
}

await main();
