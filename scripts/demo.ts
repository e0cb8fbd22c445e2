import type { ServerBuild } from '@remix-run/node';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { joinLink } from '#server/accounts/index.ts';
import { startServer } from '#server/server.ts';
import { build, isBuilt } from './build.mjs';
import {
  joinTimes,
  leavers,
  pastHeartbeats,
  seedHistory,
  seedNodes,
  withOffers,
} from './demo/history.ts';
import { seedNames, seedStatusHistory } from './demo/seed.ts';
import { planFleet } from './fleet/plan.ts';
import { formatProgress } from './fleet/progress.ts';
import { seededRandom } from './fleet/random.ts';
import { runFleet } from './fleet/run.ts';

/**
 * `npm run demo`: the service on a database of its own, with active names and a simulated fleet that sends real
 * heartbeats over HTTP. It leaves nothing behind. PORT and HOST work as for `npm start`.
 */

const FLEET = { nodes: 500, computes: 60, intervalMs: 20_000, seed: 7 };
/** A line about the fleet this often (seconds). */
const LOG_EVERY = 10;
/** So many of the nodes joined before the demo began. The others join now. */
const PAST_NODES = 480;

const root = join(import.meta.dirname, '..');

async function main(): Promise<void> {
  if (!isBuilt()) {
    console.log('Building once; the next start is quick.');
    await build({ quiet: true });
  }
  const port = process.env['PORT'] ?? '3000';
  const directory = mkdtempSync(join(tmpdir(), 'mesh-registry-demo-'));
  const config = parseConfig({
    PORT: port,
    HOST: process.env['HOST'],
    DATA_DIR: directory,
    LOG_LEVEL: 'error',
    CONTACT_URL: 'mailto:operator@mesh.example',
    // The demo is its own bootstrap peer: the health check is real, over loopback.
    GENESIS_HEALTH_URL: `http://127.0.0.1:${port}/healthz`,
    GENESIS_LABEL: 'Genesis',
    GENESIS_REGION: 'EU',
    GENESIS_LAT: '52.5',
    GENESIS_LNG: '13.5',
    GENESIS_SINCE: '2026-01-01',
  });
  const now = Date.now();
  const plan = planFleet(FLEET);
  const times = joinTimes(PAST_NODES, now);
  // Nodes join and register names at moments of the last months: until all have, the service's clock is theirs.
  let moment: number | undefined = times[0];
  const setClock = (ms: number) => void (moment = ms);
  const server = await startServer({
    config,
    clock: () => moment ?? Date.now(),
    log: createLog(config.logLevel),
    build: (await import(
      pathToFileURL(join(root, 'build', 'server', 'index.js')).href
    )) as ServerBuild,
    clientDirectory: join(root, 'build', 'client'),
    // The directory goes with it, however this process ends.
    embedded: { passing: true },
  });
  const past = await seedNodes(server, pastHeartbeats(plan.nodes, times), now, setClock);
  const joined = new Map(past.map(({ nodeId, joinedAt }) => [nodeId, joinedAt]));
  await seedNames(server, plan, joined, now, setClock);
  const gone = leavers(plan.replacements, now);
  await seedHistory(
    server,
    [...withOffers(past, plan.nodes), ...gone],
    now,
    seededRandom(FLEET.seed, 'history'),
  );
  await seedStatusHistory(server, FLEET);
  moment = undefined;
  const token = (await server.services.accounts.firstLink())?.token;
  const review = token ? `  Review  ${joinLink(server.url, token)}\n` : '';
  console.log(
    `\n  Map     ${server.url}/\n${review}\n  ${FLEET.nodes} nodes are joining; press Ctrl-C to stop.\n`,
  );

  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  let seconds = 0;
  await runFleet({
    url: server.url,
    plan,
    intervalMs: FLEET.intervalMs,
    signal: stop.signal,
    random: seededRandom(FLEET.seed, 'lifecycle'),
    onProgress: (progress) => {
      if (++seconds % LOG_EVERY === 5) console.log(`  ${formatProgress(progress)[0]}`);
    },
  });
  await server.stop();
}

await main();
