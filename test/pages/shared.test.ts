import type { ServerBuild } from '@remix-run/node';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageRoutes } from '#server/entry/remix/page-routes.ts';
import { RENDERING } from '#server/entry/remix/render-queue.ts';
import { activeName, aPing, expectError, raw } from '../contract/contract.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { openPage } from './page.ts';

const nonceOf = (response: Response) =>
  /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1];

describe('a page that many ask for', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      env: { TRUST_PROXY: '1' },
      rendering: { ...RENDERING, rest: 0, ownPages: 1, sharedMs: 600_000 },
      limits: { lookup: { points: 10, seconds: 600 } },
    });
    await server.post('/api/mesh/ping', aPing({ nodeId: 'node_1' }));
  });
  afterAll(() => server.stop());

  test('is rendered once for all of them, whatever they accept, with request ids of their own', async () => {
    const encodings = ['gzip', 'br', 'identity'];
    const ask = () =>
      Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          server.get('/', { headers: { 'accept-encoding': encodings[n % 3] ?? '' } }),
        ),
      );
    const answers = [...(await ask()), ...(await ask())];
    const pages = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(answers.map(nonceOf)).size).toBe(1);
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).toContain(`nonce="${nonceOf(answers[0] as Response)}"`);
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(60);
    for (const [n, { headers }] of answers.entries()) {
      expect(headers.get('set-cookie')).toBeNull();
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('content-encoding') ?? 'identity').toBe(encodings[n % 3]);
    }
    const head = await server.get('/', { method: 'HEAD' });
    expect([nonceOf(head), await head.text()]).toEqual([nonceOf(answers[0] as Response), '']);
  });

  test('ends with the end of the document, and has what follows its body inside', async () => {
    for (const path of ['/', '/status', '/nothing'])
      expect([path, (await (await server.get(path)).text()).slice(-14)]).toEqual([
        path,
        '</body></html>',
      ]);
  });

  test('has data with a tag, so that who has it already is sent nothing', async () => {
    const first = await server.get('/docs.data');
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^".{27}"$/);
    const again = await server.get('/docs.data', { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await server.get('/docs.data', { headers: { 'if-none-match': '"other"' } });
    expect([other.status, await other.text()]).toEqual([200, await first.text()]);
  });

  test('is never given to who shows a cookie or a credential, nor under another URL', async () => {
    const headers: Record<string, string>[] = [{}, {}, { cookie: 'a=b' }, { authorization: 'b' }];
    const nonces: (string | undefined)[] = [];
    for (const sent of headers)
      nonces.push(nonceOf(await server.get('/status', { headers: sent })));
    for (const path of ['/status?a', '/status?b']) nonces.push(nonceOf(await server.get(path)));
    // The first two are the same page.
    expect([nonces.length, new Set(nonces).size]).toEqual([6, 5]);
    for (const host of ['one.example', 'two.example'])
      expect(String((await raw(server, '/registry', { headers: { host } })).body)).toContain(
        `http://${host}/registry`,
      );
  });

  test('a refusal of the client for whom it is rendered is not given to others', async () => {
    const search = (client: string, q: string) =>
      server.get(`/search?q=${q}`, { headers: { 'x-forwarded-for': client } });
    let asked = 0;
    while ((await search('192.0.2.1', `used-up-${asked++}`)).status !== 429)
      expect(asked).toBeLessThan(50);
    const answers = await Promise.all([search('192.0.2.1', 'new'), search('192.0.2.2', 'new')]);
    expect(answers.map(({ status }) => status)).toEqual([429, 200]);
  });

  test('what a limit refuses says when to try again: a page, its data, and one that is refused for its size', async () => {
    const from = { 'x-forwarded-for': '192.0.2.3', accept: 'text/html' };
    const large = (headers: Record<string, string>) =>
      openPage(server, '/docs/mesh', {
        headers: { ...from, 'accept-encoding': 'identity', ...headers },
      });
    let asked = 0;
    let kept = await large({});
    for (; kept.status === 200; kept = await large({})) expect(asked++).toBeLessThan(50);
    const own = await large({ cookie: 'a=b' });
    for (const page of [kept, own]) {
      expect([page.status, page.title]).toEqual([429, 'Too many requests · Mesh Registry']);
      expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(page.html).toContain(`href="${server.url}/docs/mesh"`);
    }
    for (const path of ['/search?q=more', '/search.data?q=more']) {
      const refused = await server.get(path, { headers: from });
      expect([path, refused.status]).toEqual([path, 429]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  test('only pages that say so are shared: none with a secret, a form or a session', async () => {
    const file = join(import.meta.dirname, '..', '..', 'build', 'server', 'index.js');
    const routes = pageRoutes((await import(pathToFileURL(file).href)) as ServerBuild);
    expect(routes.length).toBeGreaterThan(30);
    const shared = routes.filter((route) => route.shared);
    expect(shared.map(({ path }) => path || '/').sort()).toEqual([
      '/',
      '/computes',
      '/computes/compare',
      '/docs',
      '/docs/:area',
      '/docs/embed',
      '/docs/errors',
      '/docs/identity',
      '/docs/operators',
      '/docs/privacy',
      '/docs/rest',
      '/docs/status-pages',
      '/docs/trpc',
      '/embed',
      '/network',
      '/nodes/:id',
      '/registry',
      '/registry/:name',
      '/search',
      '/status',
      '/trends',
    ]);
    expect(shared.flatMap(({ methods }) => methods)).not.toContain('POST');

    // A session changes nothing on them.
    const { cookie } = await signInReviewer(server.services, { email: 'ada@example.org' });
    for (const { path } of shared) {
      const url = path.replace(/:\w+/g, 'node_1') || '/';
      const [own, others] = [
        await openPage(server, url, { headers: { cookie } }),
        await openPage(server, url),
      ];
      expect([url, own.status, own.title]).toEqual([url, others.status, others.title]);
      expect(own.html).not.toContain('ada@example.org');
    }
  });
});

describe('HTTP of pages', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  test('other methods get 405 with Allow, OPTIONS the methods, and what is no page 404', async () => {
    const methods = ['GET, HEAD, OPTIONS', 'GET, HEAD, OPTIONS, POST'];
    const pages = {
      '/status': 0,
      '/': 0,
      '/registry/garage': 0,
      '/register': 1,
      '/review/sign-in': 1,
    };
    for (const [path, at] of Object.entries(pages)) {
      for (const method of ['PUT', 'PATCH', 'DELETE', ...(at === 0 ? ['POST'] : [])]) {
        const response = await server.get(path, { method });
        expect(response.headers.get('allow'), `${method} ${path}`).toBe(methods[at]);
        await expectError(server, response, 405, 'method_not_allowed');
      }
      const options = await server.get(path, { method: 'OPTIONS' });
      expect([options.status, options.headers.get('allow')]).toEqual([204, methods[at]]);
    }
    for (const method of ['OPTIONS', 'POST', 'DELETE'])
      await expectError(server, await server.get('/nothing', { method }), 404, 'not_found');
  });

  test.each([
    ['gzip;q=0, br', 'br'],
    ['gzip;q=0', null],
    ['br;q=0.1, gzip', 'gzip'],
    ['*', 'br'],
    ['identity', null],
  ])('Accept-Encoding: %s is answered with %s', async (accepted, encoding) => {
    const { headers } = await raw(server, '/docs', { headers: { 'accept-encoding': accepted } });
    expect([headers['content-encoding'] ?? null, headers['vary']]).toEqual([
      encoding,
      'accept-encoding',
    ]);
  });

  test.each([
    ['/docs/errors', { cookie: 'a=b' }],
    ['/register', {}],
    ['/nothing', {}],
    ['/review', {}],
  ])('HEAD of %s has the headers of GET, with its length', async (path, headers) => {
    const ask = async (method: string) => {
      const answer = await raw(server, path, { method, headers });
      return [answer.status, answer.headers['content-length'], answer.headers['location']];
    };
    expect(await ask('HEAD')).toEqual(await ask('GET'));
    expect((await raw(server, path, { method: 'HEAD', headers })).body).toHaveLength(0);
  });

  test('readers who leave while their page is rendered are no error, and end up nowhere', async () => {
    const { port } = new URL(server.url);
    const lines = server.log().length;
    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const socket = connect(Number(port), '127.0.0.1');
        await once(socket, 'connect');
        socket.write(`GET /?q=leaving-${n} HTTP/1.1\r\nHost: a.example\r\n\r\n`);
        await new Promise((resolve) => setTimeout(resolve, n));
        socket.destroy();
      }),
    );
    await until('all are counted', () => {
      const log = server.log().slice(lines);
      return log.split('"route":"page"').length > 40;
    });
    const log = server.log().slice(lines);
    expect(log.split('\n').filter((line) => /"level":(?:[3-9]0)/.test(line))).toEqual([]);
    expect(await (await server.get('/metrics')).text()).not.toMatch(/route="page".*status="5/);
  });
});

describe('when no page can be rendered', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ rendering: { ...RENDERING, places: 0 } });
  });
  afterAll(() => server.stop());

  test('browsers get a small page and scripts JSON, with 503 and Retry-After; the API goes on', async () => {
    const lines = server.log().length;
    const page = await openPage(server, '/nodes/node_1?a=b', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2']);
    expect(page.text).toContain('This page is busy');
    expect(page.html).toContain(`href="${server.url}/nodes/node_1?a=b"`);
    const data = await server.get('/nodes/node_1.data');
    expect(data.headers.get('retry-after')).toBe('2');
    await expectError(server, data, 503, 'unavailable');

    const form = await openPage(server, '/register', {
      method: 'POST',
      body: 'name=garage',
      headers: {
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
    });
    expect([form.status, form.headers.get('retry-after')]).toEqual([503, '2']);
    expect(form.text).toContain('Nothing was changed.');
    // They are counted: a crowd would write a line each.
    expect(server.log().slice(lines)).not.toMatch(/"level":(?:[3-9]0)/);
    expect(await (await server.get('/metrics')).text()).toMatch(/route="page".*status="503".*} 2/);
    expect((await server.post('/api/mesh/ping', aPing())).status).toBe(201);
  });
});

describe('a crawler', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ env: { RATE_LIMITS: 'off' } });
    for (let n = 0; n < 20; n++)
      await server.post(
        '/api/mesh/ping',
        aPing({ nodeId: `node_${n}`, region: ['EU', 'US', 'AF'][n % 3], lat: n % 60, lng: n }),
      );
    await activeName(server, { name: 'garage', nodeId: 'node_1' });
  });
  afterAll(() => server.stop());

  /** The links of a page that a crawler may follow, without what robots.txt excludes. */
  const linksOf = (html: string, robots: string[]) =>
    [...html.matchAll(/<a [^>]*>/g)]
      .map(([tag]) => tag.replaceAll('&amp;', '&'))
      .filter((tag) => !/ rel="[^"]*nofollow/.test(tag))
      .map((tag) => / href="(\/[^"#]*)/.exec(tag)?.[1] ?? '')
      .filter((href) => href !== '' && !robots.some((start) => href.startsWith(start)));

  test('that obeys nofollow or robots.txt finds no filtered page, and each of them says noindex', async () => {
    const robots = await (await server.get('/robots.txt')).text();
    const excluded = [...robots.matchAll(/^Disallow: (.+)$/gm)].map(([, path]) => path ?? '');
    expect(excluded).toContain('/*?');
    // It doesn't know about patterns.
    const paths = excluded.filter((path) => !path.includes('*'));
    const seen = new Set(['/']);
    for (const url of seen) {
      const page = await server.get(url, { redirect: 'manual' });
      if (!page.headers.get('content-type')?.startsWith('text/html')) continue;
      expect([url, page.headers.get('x-robots-tag')]).toEqual([url, null]);
      for (const link of linksOf(await page.text(), paths)) seen.add(link);
    }
    const nodes = [...seen].filter((url) => url.startsWith('/nodes/'));
    const queries = [...seen].filter((url) => url.includes('?'));
    expect(queries).toEqual([]);
    expect(nodes.length).toBeGreaterThan(0);
    expect(seen.size - nodes.length).toBeLessThan(60);
    for (const url of [
      '/?status=online',
      '/?view=list&page=2',
      '/computes?q=a',
      '/registry?kind=node',
    ])
      expect([url, (await server.get(url)).headers.get('x-robots-tag')]).toEqual([
        url,
        'noindex, nofollow',
      ]);
  });
});
