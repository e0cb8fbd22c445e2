import { afterAll, beforeAll, expect, test } from 'vitest';
import { activeName, postJson, aStart } from '../contract/contract.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    env: { RATE_LIMITS: 'off', PUBLIC_URL: 'https://mesh.example/' },
  });
});
afterAll(() => server.stop());

test('robots.txt keeps search engines away from the API, the dashboard and registrations', async () => {
  const response = await server.get('/robots.txt');
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await response.text()).split('\n')).toEqual([
    'User-agent: *',
    'Disallow: /api',
    'Disallow: /review',
    'Disallow: /register/',
    'Disallow: /*?',
    '',
    'Sitemap: https://mesh.example/sitemap.xml',
    '',
  ]);
});

test('the sitemap has the pages and every active name, under the public URL', async () => {
  const { name } = await activeName(server);
  const pending = aStart();
  await postJson(server, '/api/registry/register', pending, 201);
  const response = await server.get('/sitemap.xml');
  expect(response.headers.get('content-type')).toBe('application/xml; charset=utf-8');
  const xml = await response.text();
  // Elements one after the other, each closed, and nothing else.
  const entry =
    '<url><loc>https://mesh\\.example/[a-z0-9/_-]*</loc>(<lastmod>[^<]+Z</lastmod>)?</url>\\n';
  expect(xml).toMatch(
    new RegExp(
      `^<\\?xml version="1\\.0" encoding="UTF-8"\\?>\\n<urlset xmlns="[^"]+">\\n(${entry})+</urlset>\\n$`,
    ),
  );
  for (const path of [
    '',
    'docs',
    'docs/mesh',
    'docs/computes',
    'docs/registry',
    'docs/errors',
    'trends',
  ])
    expect(xml).toContain(`<loc>https://mesh.example/${path}</loc>`);
  expect(xml).toContain(`<loc>https://mesh.example/registry/${name}</loc>`);
  expect(xml).not.toContain(pending.name);
});

test('the sitemap is made once for all who ask within a second, and counts for who has it made', async () => {
  const strict = await startTestServer({
    env: { TRUST_PROXY: '1' },
    limits: { lookup: { points: 1, seconds: 60 } },
  });
  try {
    const ask = async (scheme: string) =>
      (await strict.get('/sitemap.xml', { headers: { 'x-forwarded-proto': scheme } })).status;
    expect([await ask('http'), await ask('http'), await ask('http')]).toEqual([200, 200, 200]);
    // Another address of the service is another text.
    expect(await ask('https')).toBe(429);
  } finally {
    await strict.stop();
  }
});

test('both answer HEAD, and no method that writes', async () => {
  for (const path of ['/robots.txt', '/sitemap.xml']) {
    const head = await server.get(path, { method: 'HEAD' });
    expect([path, head.status, await head.text()]).toEqual([path, 200, '']);
    const refused = await server.post(path, {});
    expect([path, refused.status]).toEqual([path, 405]);
  }
});
