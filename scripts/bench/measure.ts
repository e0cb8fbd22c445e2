import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { runLoad, startServer, type LoadOptions, type LoadResult } from './processes.ts';
import type { Row } from './report.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'build', 'main.js');
const BASELINE = join(import.meta.dirname, 'baseline.mjs');

const JSON_TYPE = { 'content-type': 'application/json' };
/** Differ from one connection to the next, or are node:http's own. */
const TRANSPORT_HEADERS = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

/** A result before its database and its number of peers are known. */
type Result = Omit<Row, 'database' | 'peers'>;

/**
 * Measures the service, with this environment and this many peers, against a bare node:http server that sends
 * the same bytes.
 *
 * @param load.seconds of each measurement
 */
export async function measure(
  peers: number,
  env: Record<string, string>,
  load: { connections: number; seconds: number },
  add: (result: Result) => void,
): Promise<void> {
  const service = await startServer([MAIN], /Map +(http:\/\/\S+)\//, {
    PORT: '0',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
    ...env,
  });
  const { printed: url } = service;
  const write: LoadOptions = {
    url: `${url}/api/mesh/ping`,
    method: 'POST',
    headers: JSON_TYPE,
    peers,
    ...load,
  };
  const read: LoadOptions = { ...write, url: `${url}/api/mesh`, method: 'GET', headers: {} };
  const etag = async () => String((await record(read.url, {})).headers['etag'] ?? '');
  await runLoad({ ...write, seconds: Math.max(2, peers / 2500) });

  const reads = {
    plain: {},
    br: { 'accept-encoding': 'br' },
    gzip: { 'accept-encoding': 'gzip' },
    '304': { 'if-none-match': await etag() },
  };
  const answers: Record<string, Answer> = { ping: await recordPing(write.url) };
  for (const [name, headers] of Object.entries(reads))
    answers[name] = await record(read.url, headers);
  const baseline = await startBaseline(answers);

  const compare = async (what: string, options: LoadOptions) => {
    const headers = { ...options.headers, 'x-bench': what };
    const limitCpu = await baselineCpu(baseline.url);
    const limit = await runLoad({ ...options, url: baseline.url, headers });
    const busy = ((await baselineCpu(baseline.url)) - limitCpu) / options.seconds;
    const cpu = await metric(url, 'process_cpu_seconds_total');
    const own = await runLoad(options);
    const cpuSeconds = (await metric(url, 'process_cpu_seconds_total')) - cpu;
    add({
      what,
      ...own,
      ratio: own.perSecond / limit.perSecond,
      cpuUs: (cpuSeconds / (own.perSecond * options.seconds)) * 1e6,
      limit: { generator: limit.busy, baseline: busy },
    });
  };
  await compare('ping', write);
  for (const [what, headers] of Object.entries(reads)) {
    // A tag of now: peers of the first load may have gone offline, which changes the answer.
    const fresh = what === '304' ? { 'if-none-match': await etag() } : headers;
    await compare(what, { ...read, headers: fresh });
  }

  for (const result of await measureMixed(url, write, { ...read, headers: reads.br })) add(result);
  await Promise.all([service.stop(), baseline.stop()]);
}

/** Reads while nodes send heartbeats; with the event-loop delay meanwhile, and the memory in the end. */
async function measureMixed(url: string, write: LoadOptions, read: LoadOptions): Promise<Result[]> {
  const nothing = { perSecond: null, ratio: null, cpuUs: null, p50: null, p99: null, bad: 0 };
  const seconds = write.seconds * 2;
  // Reading the delay resets it.
  await metric(url, 'nodejs_eventloop_lag_p99_seconds');
  const [, reading]: LoadResult[] = await Promise.all([
    runLoad({ ...write, rate: 500, connections: 20, seconds }),
    runLoad({ ...read, rate: 50, connections: 10, seconds }),
  ]);
  const delayMs = (await metric(url, 'nodejs_eventloop_lag_p99_seconds')) * 1000;
  const megabytes = (await metric(url, 'process_resident_memory_bytes')) / 1e6;
  return [
    { ...nothing, what: 'br at 50/s under 500 pings/s', ...reading },
    { ...nothing, what: 'event-loop delay p99 meanwhile', p99: delayMs },
    { ...nothing, what: 'resident memory, MB', perSecond: megabytes },
  ];
}

/** An answer of the service, for the baseline to repeat. */
interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Base64. */
  body: string;
}

/** GETs one answer as it came over the wire, still compressed. */
async function record(url: string, headers: Record<string, string>): Promise<Answer> {
  const { statusCode, headers: received, body } = await request(url, { headers });
  const kept = Object.entries(received).filter(([name]) => !TRANSPORT_HEADERS.includes(name));
  return {
    status: statusCode,
    headers: Object.fromEntries(kept),
    body: Buffer.from(await body.arrayBuffer()).toString('base64'),
  };
}

async function recordPing(url: string): Promise<Answer> {
  const ping = { nodeId: 'node_0', lat: 1, lng: 1, label: 'node 0', class: 'M', region: 'EU' };
  const { body } = await request(url, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(ping),
  });
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'x'.repeat(36) },
    body: Buffer.from(await body.arrayBuffer()).toString('base64'),
  };
}

/** Starts a server that answers a request with header `x-bench: name` with the answer of that name. */
async function startBaseline(
  answers: Record<string, Answer>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'mesh-bench-'));
  const file = join(directory, 'answers.json');
  writeFileSync(file, JSON.stringify(answers));
  const { printed: port, stop } = await startServer([BASELINE, file], /^(\d+)$/);
  // The baseline has read it.
  rmSync(directory, { recursive: true });
  return { url: `http://127.0.0.1:${port}`, stop };
}

/** Processor time that the baseline has used, seconds. */
async function baselineCpu(url: string): Promise<number> {
  const { user, system } = (await (await fetch(`${url}/cpu`)).json()) as NodeJS.CpuUsage;
  return (user + system) / 1e6;
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}
