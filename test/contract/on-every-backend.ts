import { randomBytes } from 'node:crypto';
import { request, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { DATABASE_KINDS, type DatabaseKind } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/**
 * What every contract test stands on: the real server, asked over HTTP in each of the ways it can
 * run, on a clock that the test moves.
 */

/** The server's clock. Stands still until a test lets time pass. */
export class Clock {
  now = Date.parse('2026-07-17T12:00:00.000Z');

  /** @param ms milliseconds */
  pass(ms: number): void {
    this.now += ms;
  }

  /** The moment as the service writes it, `ms` from now. */
  iso(ms = 0): string {
    return new Date(this.now + ms).toISOString();
  }
}

export interface Way {
  database: DatabaseKind;
  /** REST paths mounted straight on the HTTP server; else they go through Remix's own router. */
  direct: boolean;
}

export interface Given extends Way {
  server: TestServer;
  clock: Clock;
}

export interface EveryWayOptions {
  env?: Record<string, string>;
  /** The machine's own clock, instead of one that the test moves. */
  realTime?: boolean;
  /** The ways side by side, for tests that wait; theirs are `test.sequential`. */
  together?: boolean;
  /** In one way only: for a variable that has nothing to do with the database or the router. */
  once?: boolean;
}

/** What is in between a request and its route knows nothing of the database: three ways see both of both. */
export const WAYS: Way[] = [
  ...DATABASE_KINDS.map((database) => ({ database, direct: true })),
  { database: 'embedded', direct: false },
];

/** One server for all of `tests`, in each of the ways. Limits are off: they have tests of their own. */
export function describeEveryWay(
  name: string,
  options: EveryWayOptions,
  tests: (given: Given) => void,
): void {
  for (const way of options.once ? WAYS.slice(0, 1) : WAYS) {
    const title = `${name} (${way.database}, ${way.direct ? 'mounted straight' : 'through Remix'})`;
    (options.together ? describe.concurrent : describe)(title, () => {
      const clock = new Clock();
      let running: TestServer | undefined;
      beforeAll(async () => {
        running = await startTestServer({
          ...way,
          env: { RATE_LIMITS: 'off', ...options.env },
          ...(options.realTime ? {} : { clock: () => clock.now }),
        });
      });
      afterAll(() => running?.stop());
      const server = new Proxy({} as TestServer, {
        get(_, property) {
          if (!running) throw new Error('the server runs only while tests do');
          return Reflect.get(running, property) as unknown;
        },
      });
      tests({ ...way, clock, server });
    });
  }
}

/** Waits until `read` gives what is wanted; then, or when the time is up (a machine in distress has enough of it), that is what it has to be. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  wanted: T,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let last = await read();
  while (last !== wanted && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    last = await read();
  }
  expect(last).toBe(wanted);
}

let ids = 0;
/** An id that no other test uses. */
export const freshId = (prefix = 'node') =>
  `${prefix}_${(++ids).toString(36)}${randomBytes(4).toString('hex')}`;

/** A valid ping of a node of its own. */
export const aPing = (fields: Record<string, unknown> = {}) => ({
  nodeId: freshId(),
  lat: 37.7,
  lng: -122.4,
  ...fields,
});

/** A valid start of a name of its own. */
export const aStart = (fields: Record<string, unknown> = {}) => ({
  action: 'start',
  name: freshId('name'),
  nodeId: freshId(),
  kinds: ['node', 'compute'],
  ...fields,
});

/** A valid compute of a name of its own. */
export const aCompute = (fields: Record<string, unknown> = {}) => ({
  name: freshId('comp'),
  replicas: 4,
  freeSlots: 2,
  ...fields,
});

/** Any JSON of an answer: tests say themselves what has to be in it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export const getJson = async (server: TestServer, path: string): Promise<Json> => {
  const response = await server.get(path);
  expect(response.status).toBe(200);
  return response.json();
};

export const postJson = async (
  server: TestServer,
  path: string,
  body: unknown,
  status: number,
): Promise<Json> => {
  const response = await server.post(path, body);
  const json: Json = await response.json();
  expect({ status: response.status, ...(response.status === status ? {} : { json }) }).toEqual({
    status,
  });
  return json;
};

/** A name that a reviewer has activated, from start to acceptance. */
export async function activeName(
  server: TestServer,
  fields: Record<string, unknown> = {},
): Promise<Json> {
  const { id } = await postJson(server, '/api/registry/register', aStart(fields), 201);
  const confirmed = await postJson(
    server,
    '/api/registry/register',
    { action: 'confirm', id },
    200,
  );
  await server.services.review.accept({ id, reviewer: 'ada' });
  return confirmed;
}

/**
 * The one error body, its status, its headers, and the same request id in header, body and log.
 * @param issues the fields at fault, in order; none where the error is not about fields
 */
export async function expectError(
  server: TestServer,
  response: Response,
  status: number,
  code: string,
  issues?: string[],
): Promise<Json> {
  const body: Json = JSON.parse(await response.text());
  // One field may break several rules at once.
  const fields = new Set<string>(body.issues?.map(({ path }: Json) => path));
  if (issues) expect([...fields]).toEqual(issues);
  expect({ status: response.status, ...body }).toEqual({
    status,
    ok: false,
    code,
    error: expect.stringMatching(/^\p{Lu}.*[.]$/su),
    ...(issues && {
      issues: body.issues?.map(() => ({
        path: expect.any(String),
        message: expect.stringMatching(/^.+$/),
      })),
    }),
    requestId: expect.stringMatching(/^.{16,}$/),
  });
  // Our words, not a library's or a driver's.
  const text = JSON.stringify(body);
  expect(
    /expected|received|Invalid input|Too (big|small)|zod|syntax/i.exec(text)?.[0],
  ).toBeUndefined();
  expect(response.headers.get('x-request-id')).toBe(body.requestId);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('retry-after') !== null).toBe(status === 429 || status === 503);
  const line = server
    .log()
    .split('\n')
    .find((line) => line.includes(body.requestId));
  expect(JSON.parse(line ?? 'null')).toMatchObject({ requestId: body.requestId, code, status });
  return body;
}

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A request as node:http sends it: nothing added, nothing decompressed. */
export function raw(
  server: TestServer,
  path: string,
  options: {
    method?: string;
    headers?: Record<string, string>;
    /** Sent with a Content-Length. */
    body?: string | Buffer;
    /** Sent without one, piece by piece. */
    chunks?: (string | Buffer)[];
  } = {},
): Promise<RawAnswer> {
  const { method = 'GET', headers = {}, body, chunks } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${server.url}${path}`,
      { method, headers, agent: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(parts),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    if (body !== undefined) outgoing.setHeader('content-length', Buffer.byteLength(body));
    for (const chunk of chunks ?? []) outgoing.write(chunk);
    outgoing.end(body);
  });
}
