import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { startServerProcess, type ServerProcess } from '../test/support/server-process.ts';
import { until } from '../test/support/until.ts';
import { build, isBuilt } from './build.mjs';
import { formatTable } from './figures.ts';
import { HaCluster, type Settings } from './ha/cluster.ts';
import { startLoad } from './ha/load.ts';
import { readNumber, readOptions, TEXT } from './options.ts';

const HELP = `Sets up PostgreSQL with Patroni, etcd and HAProxy on this machine, from the distribution's packages, lets the
primary fail in several ways under load through two servers of the service, and prints what it cost.

  npm run ha -- --rounds 3

  --rounds <n>  how often each failure is repeated (default 1)
  --help        print this help
`;

const DEFAULTS: Settings = {
  ttl: 30,
  loop_wait: 10,
  retry_timeout: 10,
  primary_start_timeout: 300,
  synchronous_mode: false,
};
const QUICK: Settings = {
  ttl: 20,
  loop_wait: 1,
  retry_timeout: 3,
  primary_start_timeout: 0,
  synchronous_mode: false,
};
const CONFIGURATIONS = {
  default: DEFAULTS,
  quick: QUICK,
  'quick, synchronous': { ...QUICK, synchronous_mode: true },
};
const FAILURES = [
  ['kill', 'kill -9'],
  ['killAhead', 'kill -9, standbys 2 s behind'],
  ['switchOver', 'switchover'],
  ['pause', 'pause'],
] as const;

const { rounds: text } = readOptions(HELP, { rounds: { ...TEXT, default: '1' } });
const rounds = readNumber('rounds', text, { least: 1 });
if (!isBuilt()) await build({ quiet: true });
console.log('Setting up PostgreSQL, Patroni, etcd and HAProxy …');
const cluster = new HaCluster();
const servers: ServerProcess[] = [];
process.once('SIGINT', () => void end().then(() => process.exit(130)));
try {
  await cluster.start(DEFAULTS);
  for (let n = 0; n < 2; n++)
    servers.push(await startServerProcess({ DATABASE_URL: cluster.url, RATE_LIMITS: 'off' }));
  const results: Record<string, string | number>[] = [];
  for (const [settings, configuration] of Object.entries(CONFIGURATIONS)) {
    await cluster.configure(configuration);
    for (const [failure, name] of FAILURES)
      for (let round = 0; round < rounds; round++) {
        const result = { Patroni: settings, failure: name, ...(await measure(failure)) };
        console.log(JSON.stringify(result));
        results.push(result);
      }
  }
  const rows = results.map((result) => Object.values(result).map(String));
  console.log(`\n${formatTable([Object.keys(results[0] ?? {}), ...rows])}`);
} finally {
  await end();
}

async function end(): Promise<void> {
  for (const server of servers) await server.end('SIGTERM');
  await cluster.stop();
}

/** Lets the primary fail under load. @returns a row of the table, by its columns */
async function measure(failure: (typeof FAILURES)[number][0]) {
  const load = startLoad(servers.map(({ url }) => url));
  await sleep(5000);
  const from = performance.now();
  const resume = await cluster[failure]();
  await sleep(1000);
  await until(
    'writes are acknowledged again for some seconds',
    () => {
      const since = performance.now() - 5000;
      const recent = load.acknowledgedAt.filter((at) => at > since);
      return (
        performance.now() - from > 10_000 && recent.length > 50 && load.longestGap(since) < 1000
      );
    },
    120_000,
  );
  if (resume) resume();
  await sleep(5000);
  await load.stop();
  await cluster.healthy();
  return {
    'seconds without writes': Math.round(load.longestGap(from - 1000) / 100) / 10,
    'new rows acknowledged': load.acknowledged.length,
    ...(await compare(load.acknowledged)),
  };
}

interface Shown {
  id: string;
  label: string;
}

/** Acknowledged nodes that the database lacks; and rows that a server shows otherwise than the database has them. */
async function compare(acknowledged: string[]) {
  const sql = postgres(cluster.url, { max: 1 });
  const rows = await sql<Shown[]>`select id, label from peers`;
  await sql.end();
  const stored = new Map(rows.map(({ id, label }) => [id, label]));
  let ghosts = 0;
  for (const server of servers) {
    const { peers } = (await (await fetch(`${server.url}/api/mesh`)).json()) as { peers: Shown[] };
    ghosts += peers.filter(({ id, label }) => stored.get(id) !== label).length;
    const shown = new Set(peers.map(({ id }) => id));
    ghosts += rows.filter(({ id }) => !shown.has(id)).length;
  }
  return { lost: acknowledged.filter((id) => !stored.has(id)).length, ghosts };
}
