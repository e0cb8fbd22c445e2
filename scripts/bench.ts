import { spawn, type ChildProcess } from 'node:child_process';
import { cpus } from 'node:os';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { build, isBuilt } from './build.mjs';

/**
 * `npm run bench`: how near the service comes to a bare node:http server that sends the same bytes, in
 * the same run on the same machine. Prints a table, writes bench-results/latest.json. Numbers of a
 * shared machine wander; the ratio wanders less.
 */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    peers: { type: 'string', default: '1000,10000' },
    databases: { type: 'string', default: 'postgres,embedded' },
  },
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);

interface Load {
  perSecond: number;
  /** Answers that were not the wanted ones, errors and time-outs. */
  bad: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

interface Row extends Load {
  database: string;
  peers: number;
  what: string;
  /** Share of the bare server's rate. */
  ratio: number | null;
}

const rows: Row[] = [];

function load(order: {
  url: string;
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  peers: number;
  connections?: number;
  rate?: number;
  seconds?: number;
}): Promise<Load> {
  const child = spawn(process.execPath, [join(root, 'scripts/bench/load.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ connections, seconds, headers: {}, ...order }));
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(out) as Load) : reject(new Error(`load ended with ${code}`)),
    );
  });
}

function firstLine(child: ChildProcess, matches: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    if (child.stdout)
      createInterface(child.stdout).on('line', (line) => {
        const match = line.match(matches);
        if (match?.[1] !== undefined) resolve(match[1]);
      });
  });
}

/** One raw answer: fetch() would decompress it. */
function raw(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: Record<string, string>; body: string }>(
    (resolve, reject) => {
      const sent = request(url, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const kept = Object.entries(response.headers).filter(
            ([name]) => !['date', 'connection', 'keep-alive', 'transfer-encoding'].includes(name),
          );
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(kept) as Record<string, string>,
            body: Buffer.concat(chunks).toString('base64'),
          });
        });
      });
      sent.on('error', reject);
      sent.end();
    },
  );
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(text.match(new RegExp(`^${name} (\\S+)$`, 'm'))?.[1]);
}

const end = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });

async function measure(
  database: string,
  peers: number,
  env: Record<string, string>,
): Promise<void> {
  const server = spawn(process.execPath, [join(root, 'build/main.js')], {
    env: { ...process.env, PORT: '0', RATE_LIMITS: 'off', LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: tmpdir(),
  });
  const url = await firstLine(server, /Map +(http:\/\/\S+)\//);
  const ping = {
    url: `${url}/api/mesh/ping`,
    method: 'POST' as const,
    headers: { 'content-type': 'application/json' },
  };
  await load({ ...ping, peers, seconds: Math.max(2, peers / 2500) });

  const mesh = `${url}/api/mesh`;
  const etag = (await raw(mesh, {})).headers['etag'] ?? '';
  const reads = {
    plain: {},
    br: { 'accept-encoding': 'br' },
    gzip: { 'accept-encoding': 'gzip' },
    '304': { 'if-none-match': etag },
  };
  const answers: Record<string, Awaited<ReturnType<typeof raw>>> = {};
  for (const [name, headers] of Object.entries(reads)) answers[name] = await raw(mesh, headers);
  const pingAnswer = await fetch(ping.url, {
    method: 'POST',
    headers: ping.headers,
    body: JSON.stringify({
      nodeId: 'node_0',
      lat: 1,
      lng: 1,
      label: 'node 0',
      class: 'M',
      region: 'EU',
    }),
  });
  answers['ping'] = {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'x'.repeat(36) },
    body: Buffer.from(await pingAnswer.text()).toString('base64'),
  };
  const directory = mkdtempSync(join(tmpdir(), 'mesh-bench-'));
  writeFileSync(join(directory, 'answers.json'), JSON.stringify(answers));
  const bare = spawn(
    process.execPath,
    [join(root, 'scripts/bench/bare.mjs'), join(directory, 'answers.json')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const bareUrl = `http://127.0.0.1:${await firstLine(bare, /^(\d+)$/)}`;

  const compare = async (what: string, order: Parameters<typeof load>[0]) => {
    const limit = await load({
      ...order,
      url: bareUrl,
      headers: { ...order.headers, 'x-bench': what },
    });
    const own = await load(order);
    add({ database, peers, what, ...own, ratio: own.perSecond / limit.perSecond });
  };
  await compare('ping', { ...ping, peers });
  for (const [what, headers] of Object.entries(reads)) {
    // Peers that just pinged go offline 60 s later, which changes the answer: a tag of now.
    const fresh =
      what === '304' ? { 'if-none-match': (await raw(mesh, {})).headers['etag'] ?? '' } : headers;
    await compare(what, { url: mesh, method: 'GET', headers: fresh, peers });
  }
  await metric(url, 'nodejs_eventloop_lag_p99_seconds');
  const [, reading] = await Promise.all([
    load({ ...ping, peers, rate: 500, connections: 20, seconds: seconds * 2 }),
    load({
      url: mesh,
      method: 'GET',
      headers: { 'accept-encoding': 'br' },
      peers,
      rate: 50,
      connections: 10,
      seconds: seconds * 2,
    }),
  ]);
  const lag = await metric(url, 'nodejs_eventloop_lag_p99_seconds');
  add({ database, peers, what: 'br at 50/s under 500 pings/s', ...reading, ratio: null });
  add({
    database,
    peers,
    what: 'event-loop delay p99 meanwhile',
    perSecond: NaN,
    bad: 0,
    p50: NaN,
    p99: lag * 1000,
    ratio: null,
  });
  add({
    database,
    peers,
    what: 'resident memory, MB',
    perSecond: (await metric(url, 'process_resident_memory_bytes')) / 1e6,
    bad: 0,
    p50: NaN,
    p99: NaN,
    ratio: null,
  });
  await Promise.all([end(server), end(bare)]);
  rmSync(directory, { recursive: true });
}

function add(row: Row): void {
  rows.push(row);
  const number = (value: number | null, digits = 0) =>
    value === null || Number.isNaN(value) ? '' : value.toFixed(digits);
  console.log(
    [
      row.database.padEnd(9),
      String(row.peers).padStart(6),
      `  ${row.what}`.padEnd(34),
      number(row.perSecond).padStart(8),
      number(row.ratio, 2).padStart(7),
      number(row.p50, 1).padStart(8),
      number(row.p99, 1).padStart(8),
      row.bad > 0 ? `  ${row.bad} not answered well` : '',
    ].join(''),
  );
}

if (!isBuilt()) await build({ quiet: true });
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${connections} connections, ${seconds} s each`,
);
console.log('database  peers  what                                 /s   ratio   p50 ms  p99 ms');
for (const database of values.databases.split(',')) {
  for (const peers of values.peers.split(',').map(Number)) {
    if (database === 'postgres') {
      const postgres = await startPostgres({ fsync: true });
      await measure(database, peers, { DATABASE_URL: postgres.url() });
      await postgres.stop();
    } else {
      const directory = mkdtempSync(join(tmpdir(), 'mesh-bench-data-'));
      await measure(database, peers, { DATA_DIR: directory });
      rmSync(directory, { recursive: true, force: true });
    }
  }
}
mkdirSync(join(root, 'bench-results'), { recursive: true });
writeFileSync(
  join(root, 'bench-results', 'latest.json'),
  JSON.stringify(
    {
      at: new Date().toISOString(),
      node: process.version,
      cpus: cpus().length,
      connections,
      seconds,
      rows,
    },
    null,
    2,
  ),
);
