import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ErrorBody } from '#server/common/errors.schema.ts';
import { issuePath } from '@mesh-registry/protocol/rest/issues.schema.ts';
import { appRouter } from '#server/entry/trpc/router.ts';
import { openPage } from '../pages/page.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** PostgreSQL cannot store a NUL in a text: one that reaches it would turn a mistyped URL into an internal error. */

interface Shape {
  type?: string;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
}

/** A value of this shape. */
function sample(shape: Shape): unknown {
  if (shape.enum) return shape.enum[0];
  if (shape.format === 'date-time') return '2026-07-17T12:00:00.000Z';
  if (shape.type === 'string') return shape.pattern ? 'node_1' : 'ada@example.org';
  if (shape.type === 'object')
    return Object.fromEntries(
      (shape.required ?? []).map((name) => [name, sample(shape.properties?.[name] ?? {})]),
    );
  return shape.type === 'integer' ? 1 : shape.type === 'array' ? [] : null;
}

/** For every text of this shape, a value with a NUL in it, and its path. */
function withNul(shape: Shape): { path: PropertyKey[]; value: unknown }[] {
  if (shape.type === 'string') return [{ path: [], value: 'a\0b' }];
  if (shape.items)
    return withNul(shape.items).map(({ path, value }) => ({
      path: [0, ...path],
      value: [value],
    }));
  return [
    ...(shape.anyOf ?? []).flatMap(withNul),
    ...Object.entries(shape.properties ?? {}).flatMap(([name, inner]) =>
      withNul(inner).map(({ path, value }) => ({
        path: [name, ...path],
        value: { ...(sample(shape) as object), [name]: value },
      })),
    ),
  ];
}

interface Procedure {
  _def: { type: 'query' | 'mutation' | 'subscription'; inputs: z.ZodType[] };
}
const cases = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>)
  .filter(([path]) => path.startsWith('review.'))
  .flatMap(([procedure, { _def }]) =>
    _def.inputs
      .map((input) => z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Shape)
      .flatMap(withNul)
      .map(({ path, value }) => ({ procedure, field: issuePath(path), type: _def.type, value })),
  );

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await startTestServer();
  ({ cookie } = await signInReviewer(server.services, { role: 'administrator' }));
});
afterAll(() => server.stop());

const call = (procedure: string, type: string, input: unknown) =>
  type === 'mutation'
    ? server.post(`/api/trpc/${procedure}`, input, { headers: { cookie, origin: server.url } })
    : server.get(`/api/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`, {
        headers: { cookie },
      });

describe('a text with a NUL is refused, naming the field', () => {
  test('there are many such texts', () => {
    expect(cases.length).toBeGreaterThan(20);
  });

  test.each(cases)('$procedure: $field', async ({ procedure, type, field, value }) => {
    const answer = await call(procedure, type, value);
    if (type === 'subscription') {
      // The error is the first event of the stream.
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (!text.includes('"invalid_body"')) text += (await reader?.read())?.value ?? '';
      await reader?.cancel();
      return expect(text).toContain(`"path":"${field}"`);
    }
    // A token is only hashed, so any text may be one. This one finds no link.
    if (procedure.startsWith('review.join.') && field === 'token')
      return expect(await answer.text()).toMatch(/"data":null|"code":"not_found"/);
    expect(answer.status).toBe(400);
    const { data } = ((await answer.json()) as { error: { data: ErrorBody } }).error;
    expect(data.code).toBe('invalid_body');
    expect(data.issues?.map(({ path }) => path)).toContain(field);
  });
});

test('a timestamp that the database cannot store is refused', async () => {
  for (const at of ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']) {
    const answer = await call('review.history.page', 'query', { before: { at, id: 'x' } });
    expect(answer.status, at).toBe(400);
  }
});

test('a NUL in a URL, or a text that is too long, causes no internal error', async () => {
  const paths = [
    '/?q=%00&node=%00',
    '/computes?q=%00&sort=%00',
    '/registry?q=%00&kind=%00&page=%00',
    '/registry/%00',
    '/nodes/%00',
    '/register?name=%00&key=%00',
    '/register/%00',
    '/review?open=%00',
    '/review/registrations?q=%00&status=%00&page=%00',
    '/review/registrations/%00',
    '/review/names?q=%00&page=%00',
    '/review/history?q=%00&actor=%00&event=%00&from=%00&until=%00&before=%00&after=0_%00',
    '/review/history.csv?q=%00&actor=%00&from=%00',
    '/review/payments?q=%00&done=%00&state=%00&page=%00',
    '/review/sign-in?next=%00',
    '/review/join/%00',
  ];
  const long = paths.map((path) => path.replaceAll('%00', 'x'.repeat(1000)));
  for (const path of [...paths, ...long])
    expect((await openPage(server, path, { headers: { cookie } })).status, path).toBeLessThan(500);
  expect(server.log()).not.toContain('"code":"internal"');
});
