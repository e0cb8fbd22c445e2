import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../support/rounds.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SLOW } from '../support/slow.ts';

/** Whatever a client sends, it gets one of our JSON responses, and never an internal error. */

const BODIES: Record<string, Record<string, unknown>[]> = {
  '/api/mesh/ping': [
    {
      nodeId: 'node_a',
      lat: 1.5,
      lng: 2.5,
      label: 'garage',
      class: 'M',
      region: 'EU',
      status: 'idle',
    },
  ],
  '/api/registry/computes': [
    {
      nodeId: 'node_a',
      label: 'garage',
      computes: [
        {
          name: 'garage',
          image: 'a/b:1',
          visibility: 'public',
          class: 'S',
          backend: 'docker',
          replicas: 2,
          freeSlots: 1,
        },
      ],
    },
  ],
  '/api/registry/register': [
    {
      action: 'start',
      name: 'garage',
      label: 'g',
      class: 'S',
      region: 'EU',
      nodeId: 'node_a',
      kinds: ['node'],
    },
    { action: 'confirm', id: 'reg_4k7XQ2m9VbT0cRfJ8wYhLd', cashConfirm: 'text' },
  ],
  '/api/trpc/registry.start': [
    { name: 'garage', nodeId: 'node_a', kinds: ['node'], idempotencyKey: 'k' },
  ],
  '/api/trpc/registry.confirm': [{ id: 'reg_4k7XQ2m9VbT0cRfJ8wYhLd', cashConfirm: 'text' }],
};
const POSTS = [
  ...Object.keys(BODIES),
  '/api/mesh',
  '/api/registry',
  '/api/openapi.json',
  '/api/nothing',
  '/healthz',
  '/api/trpc/mesh.get',
  '/api/trpc/no.such',
];
const GETS = [
  '/api/mesh',
  '/api/mesh/ping',
  '/api/registry',
  '/api/registry/computes',
  '/api/registry/register',
  '/api/openapi.json',
  '/api/nothing',
  '/healthz',
  '/readyz',
  '/metrics',
  '/',
  '/nowhere',
  '/api/trpc/mesh.get',
  '/api/trpc/computes.list',
  '/api/trpc/registry.list',
  '/api/trpc/registry.availability',
  '/api/trpc/registry.registration',
  '/api/trpc/registry.start',
  '/api/trpc/no.such',
];

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\u0000',
    '\ud800',
    '__proto__',
    'constructor',
    'toString',
    'genesis',
    "'; --",
    '%',
    '%00',
    '\n',
    'x'.repeat(300),
  ),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  text,
  fc.constantFrom(-0, 1e308, -1, 2 ** 31, 2 ** 53, 0.1, null, [], {}, [[]], [null], {
    __proto__: null,
    toString: 1,
  }),
  fc.array(text, { maxLength: 3 }),
);

/** Without halves of surrogate pairs, which a URL cannot carry. */
const wellFormed = (raw: string) => raw.replace(/\p{Surrogate}/gu, '');

/** A valid body in which one field, at any depth, is another value, is missing, or is joined by one more. */
function mutated(body: unknown): fc.Arbitrary<unknown> {
  if (typeof body !== 'object' || body === null) return value;
  const keys = Object.keys(body);
  return fc.oneof(
    value,
    fc
      .record({ key: fc.constantFrom(...keys, 'extra', '__proto__'), gone: fc.boolean(), value })
      .map(({ key, gone, value }) => {
        const copy: Record<string, unknown> | unknown[] = Array.isArray(body)
          ? [...(body as unknown[])]
          : { ...body };
        if (gone) Reflect.deleteProperty(copy, key);
        else
          Object.defineProperty(copy, key, {
            value,
            enumerable: true,
            configurable: true,
            writable: true,
          });
        return copy;
      }),
    ...keys.map((key) =>
      mutated((body as Record<string, unknown>)[key]).map((inner) =>
        Array.isArray(body)
          ? (body as unknown[]).map((element, at) => (String(at) === key ? inner : element))
          : { ...body, [key]: inner },
      ),
    ),
  );
}

interface Refused {
  ok?: boolean;
  error?: { data?: object };
}

describe('any request', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ env: { RATE_LIMITS: 'off', LOG_LEVEL: 'error' } });
  });
  afterAll(async () => {
    await server.stop();
    expect(server.log(), 'errors that were logged').toBe('');
  });

  async function expectAnswered(path: string, response: Response): Promise<void> {
    const body = await response.text();
    expect(response.status, `${path}: ${body.slice(0, 300)}`).toBeLessThan(500);
    if (response.status >= 400 && path.startsWith('/api/')) {
      expect(response.headers.get('content-type'), path).toContain('application/json');
      const answer = JSON.parse(body) as Refused | Refused[];
      // A batch of procedures is answered by a list.
      for (const refused of Array.isArray(answer) ? answer : [answer])
        expect(
          refused.error?.data && path.startsWith('/api/trpc') ? refused.error.data : refused,
        ).toMatchObject({ ok: false });
    }
  }

  const send = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });

  it(
    'a POST of any JSON is answered, and never with a 5xx',
    { timeout: rounds(60_000) * SLOW },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...POSTS), value, async (path, body) => {
          await expectAnswered(path, await send(path, JSON.stringify(body)));
        }),
        { numRuns: rounds(150) },
      );
    },
  );

  it(
    'a POST of a valid body with one thing changed is answered, and never with a 5xx',
    { timeout: rounds(60_000) * SLOW },
    async () => {
      const changed = fc.oneof(
        ...Object.entries(BODIES).flatMap(([path, bodies]) =>
          bodies.map((body) => mutated(body).map((mutant) => ({ path, mutant }))),
        ),
      );
      await fc.assert(
        fc.asyncProperty(changed, async ({ path, mutant }) => {
          await expectAnswered(path, await send(path, JSON.stringify(mutant)));
        }),
        { numRuns: rounds(350) },
      );
    },
  );

  it(
    'a POST of any bytes is answered, and never with a 5xx',
    { timeout: rounds(60_000) * SLOW },
    async () => {
      const bytes = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(
          '',
          '{',
          'null',
          '[[[[',
          '{"nodeId":',
          '"\\ud800"',
          '1e999',
          `${'['.repeat(2000)}`,
          'x'.repeat(70_000),
        ),
      );
      const type = fc.constantFrom(
        'application/json',
        'application/json; charset=utf-8',
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/json;;',
        '',
      );
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...POSTS),
          bytes,
          type,
          async (path, body, contentType) => {
            await expectAnswered(path, await send(path, body, { 'content-type': contentType }));
          },
        ),
        { numRuns: rounds(100) },
      );
    },
  );

  it(
    'a GET with any query is answered, and never with a 5xx',
    { timeout: rounds(60_000) * SLOW },
    async () => {
      const escaped = text.map((raw) => encodeURIComponent(wellFormed(raw)));
      const raw = fc.string({
        unit: fc.constantFrom(...'abc019%&=+?/[]{}"\\<>;:@!$,.~-_*()|^`'),
        maxLength: 30,
      });
      const pair = fc
        .tuple(
          fc.constantFrom(
            'name',
            'id',
            'available',
            'visibility',
            'input',
            'batch',
            'lastEventId',
            '__proto__',
            'x',
          ),
          fc.oneof(
            escaped,
            raw,
            fc.constantFrom(
              '1',
              'true',
              'all',
              'public',
              'reg_4k7XQ2m9VbT0cRfJ8wYhLd',
              '%',
              '%E0%A4%A',
              '%ff',
            ),
            value.map((json) => encodeURIComponent(wellFormed(JSON.stringify(json) ?? ''))),
          ),
        )
        .map(([key, of]) => `${key}=${of}`);
      const query = fc.oneof(
        raw,
        fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join('&')),
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...GETS), query, async (path, search) => {
          await expectAnswered(path, await fetch(`${server.url}${path}?${search}`));
        }),
        { numRuns: rounds(200) },
      );
    },
  );

  it(
    'any value of a header that we read is accepted, and never answered with a 5xx',
    { timeout: rounds(60_000) * SLOW },
    async () => {
      const ascii = fc.string({
        unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
        maxLength: 300,
      });
      const name = fc.constantFrom(
        'authorization',
        'idempotency-key',
        'if-none-match',
        'accept-encoding',
        'x-forwarded-for',
        'last-event-id',
        'accept',
        'user-agent',
        'origin',
        'trpc-accept',
      );
      const header = fc.oneof(
        ascii,
        fc.constantFrom(
          '*',
          'W/"',
          '"", ""',
          'br;q=2',
          'gzip;q=x',
          'Bearer',
          'Bearer  x',
          'identity;q=0, *;q=0',
        ),
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...GETS), name, header, async (path, key, of) => {
          await expectAnswered(
            path,
            await fetch(`${server.url}${path}`, { headers: { [key]: of } }),
          );
        }),
        { numRuns: rounds(100) },
      );
      await fc.assert(
        fc.asyncProperty(name, header, fc.nat(), async (key, of, n) => {
          const body = { ...BODIES['/api/registry/register']?.[0], name: `name-${n % 50}` };
          await expectAnswered(
            '/api/registry/register',
            await send('/api/registry/register', JSON.stringify(body), { [key]: of }),
          );
        }),
        { numRuns: rounds(50) },
      );
    },
  );
});
