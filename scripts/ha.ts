import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { build, isBuilt } from './build.mjs';
import { formatTable } from './figures.ts';
import { HaCluster, type Settings } from './ha/cluster.ts';
import { HaLoad } from './ha/load.ts';
import { startServerProcess, type ServerProcess } from '../test/support/server-process.ts';
import { until } from '../test/support/until.ts';

/**
 * `npm run ha` sets up PostgreSQL with Patroni, etcd and HAProxy on this machine, from the distribution's packages,
 * lets the primary fail in several ways under load through two servers of the service, and prints what it cost.
 */

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
const FAILURES = ['kill', 'killAhead', 'switchOver', 'pause'] as const;
const NAMES = {
  kill: 'kill -9',
  killAhead: 'kill -9, standbys 2 s behind',
  switchOver: 'switchover',
  pause: 'pause',
};

const COLUMNS = [
  'Patroni',
  'failure',
  'seconds without writes',
  'new rows acknowledged',
  'lost',
  'ghosts',
];

/** A row of the table; its fields are in the order of the columns. */
interface Round {
  settings: string;
  failure: string;
  secondsWithoutWrites: number;
  acknowledged: number;
  lost: number;
  ghosts: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1' } } });
  const rounds = Number(values.rounds);
  if (!(rounds >= 1)) throw new Error('--rounds needs a number from 1.');
  if (!isBuilt()) await build({ quiet: true });
  console.log('Setting up PostgreSQL, Patroni, etcd and HAProxy …');
  const cluster = await HaCluster.start(DEFAULTS);
  const servers: ServerProcess[] = [];
  const end = async () => {
    for (const server of servers) await server.end('SIGTERM');
    await cluster.stop();
  };
  process.once('SIGINT', () => void end().then(() => process.exit(130)));
  try {
    for (let n = 0; n < 2; n++)
      servers.push(await startServerProcess({ DATABASE_URL: cluster.url, RATE_LIMITS: 'off' }));
    const results: Round[] = [];
    for (const [settings, configuration] of Object.entries(CONFIGURATIONS)) {
      await cluster.configure(configuration);
      for (const failure of FAILURES)
        for (let round = 0; round < rounds; round++) {
          const result = {
            settings,
            failure: NAMES[failure],
            ...(await run(cluster, servers, failure)),
          };
          console.log(JSON.stringify(result));
          results.push(result);
        }
    }
    const rows = results.map((round) => Object.values(round).map(String));
    console.log(`\n${formatTable([COLUMNS, ...rows])}`);
  } finally {
    await end();
  }
}

async function run(
  cluster: HaCluster,
  servers: ServerProcess[],
  failure: (typeof FAILURES)[number],
): Promise<Omit<Round, 'settings' | 'failure'>> {
  const load = new HaLoad(servers.map(({ url }) => url));
  load.start();
  await sleep(5000);
  const from = performance.now();
  const resume = await cluster[failure]();
  await sleep(1000);
  // Until writes are acknowledged again for some seconds.
  await until(
    'writes are acknowledged again',
    () => {
      const since = performance.now() - 5000;
      const recent = load.at.filter((at) => at > since);
      return (
        performance.now() - from > 10_000 && recent.length > 50 && load.longestGap(since) < 1000
      );
    },
    120_000,
  );
  resume();
  await sleep(5000);
  await load.stop();
  await cluster.healthy();
  return {
    secondsWithoutWrites: Math.round(load.longestGap(from - 1000) / 100) / 10,
    acknowledged: load.acknowledged.length,
    ...(await compare(cluster, servers, load.acknowledged)),
  };
}

interface Shown {
  id: string;
  label: string;
}

/** Acknowledged nodes that the database lacks; and rows that a server shows otherwise than the database has them. */
async function compare(
  { url }: HaCluster,
  servers: ServerProcess[],
  acknowledged: string[],
): Promise<Pick<Round, 'lost' | 'ghosts'>> {
  const sql = postgres(url, { max: 1 });
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

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
