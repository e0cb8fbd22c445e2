import type { ServerBuild } from '@remix-run/node';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { embedHref, parseEmbedQuery } from '#app/features/mesh/embed/embed-query.ts';
import { endpointOf, pathOfRoute } from '#server/entry/rest/resource-routes.ts';
import { meshHref, NO_FILTER } from '#server/mesh/mesh-query.schema.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' } });
});
afterAll(() => server.stop());

/** Every page that exists, with some value for each parameter. */
async function pagePaths(): Promise<string[]> {
  const file = join(import.meta.dirname, '..', '..', 'build', 'server', 'index.js');
  const build = (await import(pathToFileURL(file).href)) as ServerBuild;
  return Object.keys(build.routes)
    .filter((id) => id !== 'root' && !endpointOf(build, id))
    .map((id) => (pathOfRoute(build, id) || '/').replace(/:\w+|\*/g, 'example'));
}

const framing = (response: Response) =>
  /frame-ancestors ([^;]*)/.exec(response.headers.get('content-security-policy') ?? '')?.[1];

test('the embedded map is the only page that other sites may frame', async () => {
  const { cookie } = await signInReviewer(server.services, { email: 'ada@example.org' });
  const paths = await pagePaths();
  expect(paths).toContain('/embed');
  expect(paths.length).toBeGreaterThan(30);
  const frameable = new Set<string>();
  for (const path of [...paths, '/embed/more', '/there/is/nothing'])
    for (const headers of [{}, { cookie }] as Record<string, string>[]) {
      const response = await server.get(path, { headers, redirect: 'manual' });
      if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
      if (framing(response) === "'none'") continue;
      expect(framing(response), path).toBe('*');
      frameable.add(path);
    }
  expect([...frameable]).toEqual(['/embed']);
  const refused = await server.get('/embed', {
    method: 'POST',
    body: 'a=b',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'text/html',
      origin: 'https://other.example',
    },
  });
  expect([refused.status, framing(refused)]).toEqual([405, "'none'"]);
});

test('the embedded map sets no cookie, is not indexed, and takes any query', async () => {
  for (const query of [
    '',
    '?theme=pink&filter=nothing,%00,,&map=abc&region=%F0&status=x',
    '?filter=__proto__&filter=online&theme=dark&theme=light',
    `?q=${'x'.repeat(2000)}`,
  ]) {
    const response = await server.get(`/embed${query}`);
    expect([query, response.status]).toEqual([query, 200]);
    expect(response.headers.has('set-cookie')).toBe(false);
    expect(await response.text()).toContain('<meta name="robots" content="noindex"/>');
  }
  expect(await (await server.get('/sitemap.xml')).text()).not.toContain(`${server.url}/embed<`);
});

test('scripts and styles load in a sandboxed frame, whose origin is none of ours', async () => {
  const html = await (await server.get('/embed')).text();
  const assets = [...new Set(html.match(/\/assets\/[\w./-]+/g))];
  expect(assets.length).toBeGreaterThan(5);
  for (const asset of assets)
    expect((await server.get(asset)).headers.get('access-control-allow-origin')).toBe('*');
});

test('its URL reads back as it was written, with the values of the map’s own filters', () => {
  const { query } = parseEmbedQuery(
    new URLSearchParams('filter=idle,online,M,EU-WEST,24h&q=mac&map=48.1,11.6,5'),
  );
  expect(meshHref(query)).toBe(
    '/?q=mac&status=online,idle&class=M&region=EU-WEST&joined=24h&map=48.1,11.6,5',
  );
  // A region that reads as a class.
  const named = { ...query, ...NO_FILTER, region: 'S' };
  for (const written of [query, named]) {
    const search = new URLSearchParams(embedHref('dark', written).split('?')[1]);
    expect(parseEmbedQuery(search)).toEqual({ theme: 'dark', query: written });
  }
  expect(embedHref('auto', { ...NO_FILTER, map: null })).toBe('/embed');
  expect(meshHref(parseEmbedQuery(new URLSearchParams('filter=pink,&theme=1')).query)).toBe('/');
});
