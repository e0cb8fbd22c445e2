import { createTRPCClient, httpLink } from '@trpc/client';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { getTableName, sql } from 'drizzle-orm';
import * as schema from '#db/schema/index.ts';
import { LIMITS } from '#server/entry/rate-limits.ts';
import type { AppRouter } from '#server/entry/trpc/router.ts';
import { getJson } from './fault/support.ts';
import { endAllServers, startServerProcess, type ServerProcess } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { startPostgres, type PostgresServer } from './support/postgres.ts';
import { until } from './support/until.ts';

/**
 * A whole run with a client that can be recognised wherever it leaves a trace. The server is a separate process
 * with the most verbose log; both of its output streams are checked.
 */

const ADDRESS = '203.0.113.77';
const ADDRESS_6 = '2001:db8:77:aa::4d';
/** What a proxy in front would see of other clients; the outermost trusted one writes the last. */
const SPOOFED = '198.51.100.23';
const AGENT = 'MarkedAgent-8f3a/1.0';
const SECRET = 'right-secret-5d1c7a90e2';
const WRONG_SECRET = 'wrong-secret-77c0de55aa';
// The degrees are no seconds of any time of day, so a log or a response contains neither by chance.
const LAT = 78.137154326;
const LNG = 171.576124987;
const CASH_CONFIRM = 'confirmation-b1946ac9';
const REFERER = 'https://referrer-mark.example/page';
const COOKIE = 'cookie-mark-1b2c3d';

const hashes = (text: string): string[] => [
  ...['md5', 'sha1', 'sha256', 'sha512'].flatMap((kind) => {
    const digest = createHash(kind).update(text).digest();
    return [
      digest.toString('hex'),
      digest.toString('base64').replace(/=+$/, ''),
      digest.toString('base64url'),
    ];
  }),
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
  Buffer.from(text).toString('hex'),
];
const number = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

/** What must not be found anywhere. */
const FORBIDDEN: string[] = [
  ...[ADDRESS, ADDRESS_6, SPOOFED].flatMap((address) => [address, ...hashes(address)]),
  ADDRESS.replaceAll('.', '-'),
  String(number(ADDRESS)),
  AGENT,
  ...hashes(AGENT),
  'referrer-mark',
  COOKIE,
  // Digits that only the exact coordinates have.
  '78.137',
  '13715432',
  '171.576',
  '57612498',
  SECRET,
  WRONG_SECRET,
  ...hashes(SECRET),
  ...hashes(WRONG_SECRET),
];

function expectNoTrace(where: string, text: string, forbidden = FORBIDDEN): void {
  const lower = text.toLowerCase();
  for (const mark of forbidden) {
    const at = lower.indexOf(mark.toLowerCase());
    expect(at < 0 ? '' : text.slice(Math.max(0, at - 60), at + 80), `${mark} in ${where}`).toBe('');
  }
}

interface Answered {
  status: number;
  text: string;
  head: string;
}

/** A request as a proxy in front of us passes it on. */
function send(
  url: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string>; method?: string } = {},
): Promise<Answered> {
  const body =
    options.body === undefined
      ? undefined
      : typeof options.body === 'string'
        ? options.body
        : JSON.stringify(options.body);
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, {
      method: options.method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        'x-forwarded-for': `${SPOOFED}, ${ADDRESS}`,
        'x-real-ip': ADDRESS,
        forwarded: `for="[${ADDRESS_6}]"`,
        'user-agent': AGENT,
        referer: REFERER,
        cookie: `session=${COOKIE}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text,
          head: JSON.stringify(response.rawHeaders),
        }),
      );
    });
    sent.end(body);
  });
}

const authorized = { authorization: `Bearer ${SECRET}` };

/**
 * Everything a client can do; returns what it got, and the ids of its registrations.
 * @param isAway the database is; wrong credentials, which ask nothing of it, are left out then
 */
async function wholeRun(
  url: string,
  { isAway = false } = {},
): Promise<{ answers: Answered[]; ids: string[] }> {
  const answers: Answered[] = [];
  const ids: string[] = [];
  const go = async (
    ...args: Parameters<typeof send> extends [string, ...infer Rest] ? Rest : never
  ) => {
    const answer = await send(url, ...args);
    answers.push(answer);
    return answer;
  };
  const ping = { nodeId: 'node_a', lat: LAT, lng: LNG };

  // Heartbeats: valid ones, ones that try to publish where a node is, and invalid ones of every kind.
  const first = await go('/api/mesh/ping', {
    body: { ...ping, label: 'garage', ip: ADDRESS, host: { addr: ADDRESS } },
    headers: authorized,
  });
  expect(first.status).toBe(isAway ? 503 : 201);
  await go('/api/mesh/ping', {
    body: { ...ping, nodeId: 'node_b', label: `here ${ADDRESS}` },
    headers: authorized,
  });
  await go('/api/mesh/ping', {
    body: { ...ping, nodeId: 'node_c', label: `<b>${ADDRESS_6}</b>`, [ADDRESS]: 1 },
    headers: authorized,
  });
  await go('/api/mesh/ping', { body: { ...ping, nodeId: ADDRESS }, headers: authorized });
  await go('/api/mesh/ping', { body: { ...ping, lat: String(LAT) }, headers: authorized });
  await go('/api/mesh/ping', {
    body: { ...ping, lat: LAT * 10, region: ADDRESS },
    headers: authorized,
  });
  await go('/api/mesh/ping', {
    body: `{"nodeId":"node_a","lat":${LAT},"${ADDRESS}`,
    headers: authorized,
  });
  await go('/api/mesh/ping', {
    body: { ...ping, label: `${ADDRESS} `.repeat(400) },
    headers: authorized,
  });
  await go('/api/mesh/ping', { body: ping, headers: { authorization: `Bearer ${WRONG_SECRET}` } });
  await go('/api/mesh/ping', { body: ping, headers: { authorization: WRONG_SECRET } });
  await go('/api/mesh/ping', {
    body: ping,
    headers: { ...authorized, 'content-type': `text/${AGENT}` },
  });

  // Announcements likewise.
  const compute = {
    name: 'garage',
    replicas: 2,
    freeSlots: 1,
    image: 'ghcr.io/acme/llama:1',
    visibility: 'public',
  };
  const announce = (computes: object[], more = {}) => ({
    body: { nodeId: 'node_a', label: 'garage', computes, ...more },
    headers: authorized,
  });
  await go(
    '/api/registry/computes',
    announce([{ ...compute, endpoint: `http://${ADDRESS}:8080`, token: WRONG_SECRET }], {
      address: ADDRESS,
    }),
  );
  await go('/api/registry/computes', announce([{ ...compute, image: `${ADDRESS}:5000/llama` }]));
  await go(
    '/api/registry/computes',
    announce([{ ...compute, image: `http://user:${WRONG_SECRET}@host/x` }]),
  );
  await go('/api/registry/computes', announce([{ ...compute, name: ADDRESS }], { label: ADDRESS }));
  await go('/api/registry/computes', {
    ...announce([compute]),
    headers: { authorization: `Bearer ${WRONG_SECRET}` },
  });

  // Registrations, over REST and tRPC.
  const start = {
    action: 'start',
    name: 'garage',
    label: `at ${ADDRESS}`,
    nodeId: 'node_a',
    kinds: ['node', 'compute'],
    ip: ADDRESS,
  };
  const started = await go('/api/registry/register', {
    body: start,
    headers: { 'idempotency-key': 'key-of-mine' },
  });
  await go('/api/registry/register', {
    body: start,
    headers: { 'idempotency-key': 'key-of-mine' },
  });
  await go('/api/registry/register', {
    body: { ...start, name: 'other' },
    headers: { 'idempotency-key': 'key-of-mine' },
  });
  await go('/api/registry/register', { body: start });
  await go('/api/registry/register', { body: { ...start, name: ADDRESS } });
  await go('/api/registry/register', { body: { ...start, action: ADDRESS } });
  const { id = 'reg_AAAAAAAAAAAAAAAAAAAAAAAA' } = JSON.parse(started.text) as { id?: string };
  ids.push(id);
  await go('/api/registry/register', {
    body: { action: 'confirm', id, cashConfirm: CASH_CONFIRM },
  });
  await go('/api/registry/register', { body: { action: 'confirm', id: `${id}x` } });
  for (const query of [
    `id=${id}`,
    `id=${id}&id=${id}`,
    `id=${id}&name=garage`,
    `name=${ADDRESS}`,
    `name=garage&x=${ADDRESS}`,
  ])
    await go(`/api/registry/register?${query}`);
  const trpc = createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${url}/api/trpc`,
        async fetch(input, init) {
          const { pathname, search } = new URL(input as string);
          const answer = await send(url, pathname + search, {
            ...(init?.body ? { body: init.body as string } : {}),
            method: init?.method ?? 'GET',
          });
          answers.push(answer);
          return new Response(answer.text, { status: answer.status });
        },
      }),
    ],
  });
  await trpc.mesh.get.query();
  await trpc.computes.list.query({});
  await trpc.registry.list.query();
  await trpc.registry.registration.query({ id }).catch(() => undefined);
  await trpc.registry.availability.query({ name: ADDRESS }).catch(() => undefined);
  await trpc.registry.confirm.mutate({ id, cashConfirm: CASH_CONFIRM }).catch(() => undefined);
  const other = await trpc.registry.start
    .mutate({ name: 'second', nodeId: 'node_b', kinds: ['node'] })
    .catch(() => null);
  if (other) ids.push(other.id);
  await go(`/api/trpc/no.such?input=${ADDRESS}`);
  await go('/api/trpc/registry.start', { body: `{"${ADDRESS}` });

  // Reads, pages, missing paths, and the id of a registration in a URL.
  for (const path of [
    '/',
    '/api/mesh',
    '/api/mesh/ping',
    '/api/registry',
    '/api/registry/computes',
    '/api/registry/computes?available=1',
    `/api/registry/computes?visibility=${ADDRESS}`,
    '/api/registry/register',
    '/api/openapi.json',
    '/healthz',
    '/readyz',
    '/metrics',
    `/register/${id}`,
    `/nowhere/${ADDRESS}?from=${ADDRESS}`,
    `/api/nowhere/${id}`,
    `/assets/${ADDRESS}.js`,
    `/nodes/node_a?_data=routes%2F${ADDRESS}`,
    `/?_data=root&x=${id}`,
    '/%E0%A4%A',
    `/api/mesh/%ff/${id}`,
    `/register/%ff/${id}`,
  ])
    await go(path);
  for (const method of ['PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])
    await go(`/api/mesh?${id}`, { method });
  await go(`/register/${id}`, { body: { id, ADDRESS } });
  if (isAway) return { answers, ids };
  // Wrong credentials until the limit.
  const { points } = LIMITS.credential;
  let limited = false;
  // Twice as many: its minute may end in between.
  for (let n = 0; n < 2 * points + 5 && !limited; n++) {
    const { status } = await go('/api/mesh/ping', {
      body: ping,
      headers: { authorization: `Bearer ${WRONG_SECRET}` },
    });
    limited = status === 429;
  }
  expect(limited).toBe(true);
  return { answers, ids };
}

/** A client may get back what it sent itself, in the name of a field or in an availability. */
function expectAnswersClean(answers: Answered[]): void {
  const forbidden = FORBIDDEN.filter((mark) => mark !== ADDRESS && mark !== ADDRESS_6);
  for (const { text, head } of answers) {
    expectNoTrace('the head of an answer', head);
    expectNoTrace('an answer', text, forbidden);
  }
}

/** What other clients see. */
async function expectPublicClean(url: string): Promise<void> {
  for (const path of [
    '/',
    '/api/mesh',
    '/api/registry',
    '/api/registry/computes',
    '/api/registry/register',
    '/metrics',
    '/readyz',
    '/api/openapi.json',
  ]) {
    const response = await fetch(`${url}${path}`);
    expect(response.status, path).toBe(200);
    expectNoTrace(path, await response.text());
  }
}

const ENV = { TRUST_PROXY: '1', LOG_LEVEL: 'trace', WEBHOOK_SECRET: SECRET, RATE_LIMITS: 'on' };

/** The log may hold neither the marks, nor the id of a registration, nor what only its operator knows. */
function expectLogClean(server: ServerProcess, ids: string[]): void {
  const log = server.output();
  expect(log.length).toBeGreaterThan(1000);
  expectNoTrace('the log', log, [...FORBIDDEN, ...ids, CASH_CONFIRM, 'reg_', 'key-of-mine']);
}

afterEach(endAllServers);

describe('no trace of a client', () => {
  it('is in the answers, the log, the metrics or the files of the embedded database', async () => {
    const directory = temporaryDirectory();
    let known = false;
    try {
      const server = await startServerProcess({ ...ENV, DATA_DIR: directory.path });
      const since = Date.now() - 1000;
      const { answers, ids } = await wholeRun(server.url);
      expect(answers.some(({ status }) => status >= 500)).toBe(false);
      expectAnswersClean(answers);
      await expectPublicClean(server.url);
      expect(await server.end('SIGTERM')).toBe(0);
      expectLogClean(server, ids);

      const database = await openDatabase({ databaseUrl: undefined, dataDir: directory.path });
      try {
        await expectTablesClean(async (query) => {
          const rows: unknown = await database.db.execute(sql.raw(query));
          return { rows: rows as object[] };
        });
      } finally {
        await database.close();
      }
      // Also what no query shows: the log of the database, rows that are dead, other files.
      // Only of files that were written since the service was ready: the others know nothing of any client.
      const files = readdirSync(directory.path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((file) => join(file.parentPath, file.name))
        .filter((path) => statSync(path).mtimeMs >= since);
      for (const kind of [/pg_wal/, /base/, /log/])
        expect(files).toContainEqual(expect.stringMatching(kind));
      const marks = [...FORBIDDEN, String(LAT), String(LNG)].map((mark) => Buffer.from(mark));
      for (const value of [LAT, LNG]) {
        // As the database keeps a float8.
        const raw = Buffer.alloc(8);
        raw.writeDoubleLE(value);
        marks.push(raw);
      }
      for (const path of files) {
        const bytes = readFileSync(path);
        const found = marks.filter((mark) => bytes.includes(mark)).map(String);
        expect([path, found]).toEqual([path, []]);
        known ||= bytes.includes('node_a');
      }
      // What is public is found by the same search.
      expect(known).toBe(true);
    } finally {
      directory.remove();
    }
  });

  describe('on PostgreSQL', () => {
    let database: PostgresServer;
    beforeAll(async () => {
      database = await startPostgres();
    });
    afterAll(() => database.stop());

    it('is in the answers, the log or the metrics while queries fail and while the database is unavailable', async () => {
      const server = await startServerProcess({ ...ENV, DATABASE_URL: database.url() });
      const password = new URL(database.url()).password;
      const answers: Answered[] = [];

      // Queries that the database refuses, with the values in the message of the error.
      const admin = postgres(database.url(), { max: 1 });
      try {
        await admin`alter table peers add constraint nobody check (id <> 'node_z')`;
        await admin`alter table computes add constraint nothing check (name <> 'refused')`;
        await admin`alter table registrations add constraint no_name check (name <> 'refused')`;
        const refused = [
          await send(server.url, '/api/mesh/ping', {
            body: { nodeId: 'node_z', lat: LAT, lng: LNG, label: 'garage' },
            headers: authorized,
          }),
          await send(server.url, '/api/registry/computes', {
            body: { nodeId: 'node_z', computes: [{ name: 'refused', replicas: 1, freeSlots: 1 }] },
            headers: authorized,
          }),
          await send(server.url, '/api/registry/register', {
            body: { action: 'start', name: 'refused', nodeId: 'node_z', kinds: ['node'] },
          }),
        ];
        for (const answer of refused) {
          expect(answer.status).toBe(500);
          expect(answer.text).not.toMatch(/constraint|node_z|nobody|insert|violates/i);
        }
        answers.push(...refused);
        expect(server.output()).toContain('23514');
        expect(server.output(), 'the values of a failed query').not.toMatch(
          /node_z|refused"?,|"reg_/,
        );
      } finally {
        await admin.end();
      }

      await database.kill();
      const away = await wholeRun(server.url, { isAway: true });
      expect(away.answers.every(({ status }) => status < 500 || status === 503)).toBe(true);
      for (const answer of away.answers.filter(({ status }) => status >= 400))
        expect(answer.text.replaceAll(server.url, ''), 'what a driver says').not.toMatch(
          /ECONN|127\.0\.0\.1:\d+|postgres|select |insert /i,
        );
      answers.push(...away.answers);
      await database.start();
      await until(
        'the database is back',
        async () => !(await getJson<{ degraded: boolean }>(server.url, '/readyz')).degraded,
      );

      expectAnswersClean(answers);
      await expectPublicClean(server.url);
      expect(await server.end('SIGTERM')).toBe(0);
      expectLogClean(server, [...away.ids, password]);
    });
  });
});

/** Every row of our tables, as text. */
async function expectTablesClean(
  run: (query: string) => Promise<{ rows: object[] }>,
): Promise<void> {
  const tables = Object.values(schema).flatMap((table) => {
    try {
      return [getTableName(table as never)];
    } catch {
      return [];
    }
  });
  const { rows: found } = await run(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const names = found.map((row) => (row as { name: string }).name);
  expect(names).toEqual(expect.arrayContaining(tables.filter(Boolean)));
  let size = 0;
  for (const name of names) {
    const { rows } = await run(`select t::text as line from "${name}" t`);
    const text = rows.map((row) => (row as { line: string }).line).join('\n');
    size += rows.length;
    expectNoTrace(`the table ${name}`, text);
  }
  expect(size).toBeGreaterThan(50);
}
