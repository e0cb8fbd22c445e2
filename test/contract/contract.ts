import { randomBytes } from 'node:crypto';
import { request, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Limits } from '#server/entry/rate-limits.ts';
import { Start } from '@mesh-registry/protocol/rest/register.schema.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { accept } from '../support/decisions.ts';

/**
 * The basis of the contract tests: the real server, asked over HTTP, with a clock that the test advances.
 */

export interface Setup {
  server: TestServer;
  clock: FakeClock;
  /** Whether REST paths are mounted on the HTTP server, as in production, or go through Remix's router. */
  direct: boolean;
}

export interface ContractOptions {
  env?: Record<string, string>;
  /** The machine's own clock, instead of one that the test advances. */
  realTime?: boolean;
  /** Through Remix's router as well: what `npm run dev` does is slower, but the same for clients. */
  throughRemix?: boolean;
  /** Rate limits that are reached sooner than those of production. */
  limits?: Partial<Limits>;
}

/** One server for all of `tests`, for each way in. Rate limits are off: they have tests of their own. */
export function describeContract(
  name: string,
  options: ContractOptions,
  tests: (setup: Setup) => void,
): void {
  for (const direct of options.throughRemix ? [true, false] : [true]) {
    describe(direct ? name : `${name} (through Remix)`, () => {
      const clock = new FakeClock();
      let running: TestServer | undefined;
      beforeAll(async () => {
        running = await startTestServer({
          direct,
          env: { RATE_LIMITS: 'off', ...options.env },
          ...(options.realTime ? {} : { clock: clock.read }),
          ...(options.limits && { limits: options.limits }),
        });
      });
      afterAll(() => running?.stop());
      const server = new Proxy({} as TestServer, {
        get(_, property) {
          if (!running) throw new Error('The server runs only while tests do.');
          return Reflect.get(running, property) as unknown;
        },
      });
      tests({ server, clock, direct });
    });
  }
}

/** Waits until `read` returns `wanted`; fails with what it returned last. */
export const eventually = <T>(read: () => T | Promise<T>, wanted: T): Promise<void> =>
  expect.poll(read).toBe(wanted);

let ids = 0;
/** An id that no other test uses. */
export const freshId = (prefix = 'node') =>
  `${prefix}_${(++ids).toString(36)}${randomBytes(4).toString('hex')}`;

/** A valid ping from a new node. */
export const aPing = (fields: Record<string, unknown> = {}) => ({
  nodeId: freshId(),
  lat: 37.7,
  lng: -122.4,
  ...fields,
});

/** A node as it is shown whose heartbeats are those of `aPing`, sent `at`: every field, and no other. */
export const aShownPeer = (id: string, at: string) => ({
  id,
  label: id,
  class: 'S',
  region: 'NA',
  status: 'online',
  role: 'peer',
  joinedAt: at,
  lastSeen: at,
  lat: 37.5,
  lng: -122.5,
});

/** A valid start of a registration, with a new name. */
export const aStart = (fields: Record<string, unknown> = {}) => ({
  action: 'start',
  name: freshId('name'),
  nodeId: freshId(),
  kinds: ['node', 'compute'],
  ...fields,
});

/** A valid compute offer with a new name. */
export const aCompute = (fields: Record<string, unknown> = {}) => ({
  name: freshId('comp'),
  replicas: 4,
  freeSlots: 2,
  ...fields,
});

/** The JSON of an answer; the tests assert what is in it. */
// oxlint-disable-next-line typescript/no-explicit-any
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

/** Has a reviewer activate a new name, and returns its registration as of its confirmation. */
export async function activeName(
  server: TestServer,
  fields: Record<string, unknown> = {},
): Promise<Json> {
  const { registration } = server.services;
  const { id } = await registration.start(Start.parse(aStart(fields)));
  const confirmed = await registration.confirm({ id });
  await accept(server.services, { id, reviewer: 'ada' });
  return confirmed;
}

/** One sentence. It may start with the path of an invalid field. */
export const sentenceOf = ({ issues }: Json): RegExp => {
  const path: string = issues?.[0]?.path ?? '';
  const field = path && `|${path.replace(/[[\].]/g, '\\$&')}`;
  return new RegExp(`^(?:\\p{Lu}${field}).*[.]$`, 'su');
};

/**
 * Asserts the error body, its status and headers, and the same request id in header, body and log.
 * @param issues the fields at fault, in order; omitted if the error is not about fields
 */
export async function expectError(
  server: TestServer,
  response: Response,
  status: number,
  code: string,
  issues?: string[],
): Promise<Json> {
  const body: Json = JSON.parse(await response.text());
  // One field may break several rules.
  const fields = new Set<string>(body.issues?.map(({ path }: Json) => path));
  if (issues) expect([...fields]).toEqual(issues);
  expect({ status: response.status, ...body }).toEqual({
    status,
    ok: false,
    code,
    error: expect.stringMatching(sentenceOf(body)),
    ...(issues && {
      issues: body.issues?.map(({ suggestion }: Json) => ({
        path: expect.any(String),
        message: expect.stringMatching(/^.+$/),
        ...(suggestion !== undefined && { suggestion: expect.stringMatching(/^.+$/) }),
      })),
    }),
    requestId: expect.stringMatching(/^.{16,}$/),
  });
  // In our own words, not those of a library or a driver. Ids and keys are random, and may have their letters in them.
  const text = JSON.stringify({ ...body, requestId: '' });
  expect(
    /\b(expected|received|invalid input|too (big|small)|zod(error)?|syntax)\b/i.exec(text)?.[0],
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

/** Sends a request with node:http: the path as it is, no headers are added, and nothing is decompressed. */
export function raw(
  server: TestServer,
  path: string,
  options: {
    method?: string;
    headers?: Record<string, string>;
    /** Sent with a Content-Length. */
    body?: string | Buffer;
    /** Sent in pieces, without a Content-Length. */
    chunks?: (string | Buffer)[];
  } = {},
): Promise<RawAnswer> {
  const { method = 'GET', headers = {}, body, chunks } = options;
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const outgoing = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
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
    });
    outgoing.on('error', reject);
    if (body !== undefined) outgoing.setHeader('content-length', Buffer.byteLength(body));
    for (const chunk of chunks ?? []) outgoing.write(chunk);
    outgoing.end(body);
  });
}
