import { describe, expect, test } from 'vitest';
import {
  aCompute,
  aPing,
  aStart,
  describeContract,
  expectError,
  freshId,
  getJson,
} from './contract.ts';

const POSTS: [string, () => object][] = [
  ['/api/mesh/ping', () => aPing()],
  ['/api/registry/computes', () => ({ nodeId: freshId(), computes: [aCompute()] })],
];
const OLD = 'the-old-secret-0123456789';
const NEW = 'the-new-secret-9876543210';
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** None of these is the credential. */
const WRONG = [
  'Bearer nonsense',
  'Bearer',
  'Bearer ',
  '',
  OLD,
  `Basic ${OLD}`,
  `Basic ${Buffer.from(`x:${OLD}`).toString('base64')}`,
  `Bearer ${OLD}x`,
  `Bearer ${OLD.slice(0, -1)}`,
  `Bearer ${OLD.toUpperCase()}`,
  `Bearer ${OLD},${NEW}`,
  `Bearer ${OLD} ${NEW}`,
  `Bearer "${OLD}"`,
  'Bearer undefined',
  'Bearer null',
];

const production = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  AUTH_SECRET: 'x'.repeat(32),
  CASHTAG: '$MeshNet',
  WEBHOOK_SECRET: `${OLD}, ${NEW}`,
};

describeContract('credentials in production', { env: production }, ({ server }) => {
  describe.each(POSTS)('POST %s', (path, body) => {
    test('accepts every secret of the list, so that it can be rotated without an outage', async () => {
      for (const secret of [OLD, NEW])
        expect((await server.post(path, body(), bearer(secret))).ok).toBe(true);
      const lower = { headers: { authorization: `bearer ${OLD}` } };
      expect((await server.post(path, body(), lower)).ok).toBe(true);
    });

    test('refuses a POST without a credential, and says how to send one', async () => {
      const response = await server.post(path, body());
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      const { error } = await expectError(server, response, 401, 'unauthorized');
      expect(error).toContain('Authorization');
    });

    test.each(WRONG)('refuses "Authorization: %s"', async (authorization) => {
      const response = await server.post(path, body(), { headers: { authorization } });
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      await expectError(server, response, 401, 'unauthorized');
    });

    test('checks the credential after the method, and before size, content type and body', async () => {
      for (const [content, type] of [
        ['{', 'application/json'],
        ['{}', 'text/plain'],
        ['x'.repeat(100_000), 'application/json'],
      ] as const) {
        const init = { method: 'POST', body: content, headers: { 'content-type': type } };
        await expectError(server, await server.get(path, init), 401, 'unauthorized');
      }
      const put = await server.get(path, { method: 'PUT', body: '{' });
      await expectError(server, put, 405, 'method_not_allowed');
    });
  });

  test('reads and registrations need no credential', async () => {
    for (const path of [
      '/api/mesh',
      '/api/mesh/ping',
      '/api/registry/computes',
      '/api/registry/register',
      '/api/registry',
      '/api/openapi.json',
      '/healthz',
      '/readyz',
    ])
      expect([path, (await server.get(path)).status]).toEqual([path, 200]);
    expect((await server.post('/api/registry/register', aStart())).status).toBe(201);
    const { auth } = await getJson(server, '/api/mesh/ping');
    expect(auth).toEqual({ header: 'Authorization', scheme: 'Bearer', required: true });
  });

  test('no secret is in an answer or in the log', async () => {
    const response = await server.post('/api/mesh/ping', aPing(), bearer(`${OLD}${NEW}`));
    const seen = [
      await response.text(),
      await (await server.get('/api/openapi.json')).text(),
      await (await server.get('/metrics')).text(),
      server.log(),
    ].join('\n');
    for (const secret of [OLD, NEW, production.AUTH_SECRET])
      expect(seen.includes(secret)).toBe(false);
  });

  test('the payee is the configured one', async () => {
    expect((await getJson(server, '/api/registry/register')).cashtag).toBe('$MeshNet');
  });

  test('an error reveals nothing internal', async () => {
    const text = await (await server.get('/api/nothing')).text();
    expect(text).not.toMatch(/\bat \/|node_modules|\.ts\b/);
  });
});

describeContract(
  'credentials outside production',
  { env: { WEBHOOK_SECRET: OLD } },
  ({ server }) => {
    test.each(POSTS)('POST %s accepts no credential and the right one', async (path, body) => {
      expect((await server.post(path, body())).ok).toBe(true);
      expect((await server.post(path, body(), bearer(OLD))).ok).toBe(true);
    });

    test.each(POSTS)('POST %s refuses every wrong credential', async (path, body) => {
      for (const authorization of WRONG) {
        const response = await server.post(path, body(), { headers: { authorization } });
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
        await expectError(server, response, 401, 'unauthorized');
      }
    });
  },
);

describeContract('credentials outside production, with no secret', {}, ({ server }) => {
  test.each(POSTS)('POST %s refuses every credential that is sent', async (path, body) => {
    for (const authorization of ['Bearer x', 'Bearer ', 'Bearer undefined', ''])
      await expectError(
        server,
        await server.post(path, body(), { headers: { authorization } }),
        401,
        'unauthorized',
      );
    expect((await server.post(path, body())).ok).toBe(true);
  });
});
