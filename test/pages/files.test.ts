import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activeName, aPing } from '../contract/contract.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    env: {
      PUBLIC_URL: 'https://mesh.example',
      NETWORK_NAME: 'The Mesh & Friends',
      COMPUTE_LISTING: 'announced',
      RATE_LIMITS: 'off',
    },
  });
  // So that each file is large enough to be compressed.
  for (const nodeId of ['node_a', 'node_b', 'node_c', 'node_d']) {
    await server.post('/api/mesh/ping', aPing({ nodeId }));
    const computes = Array.from({ length: 5 }, (_, n) => ({
      name: `fire${n}`,
      replicas: 1,
      freeSlots: 1,
    }));
    await server.post('/api/registry/computes', { nodeId, computes });
    await activeName(server, { nodeId, name: `name-of-${nodeId}` });
  }
});
afterAll(() => server.stop());

/** A response as it comes over the wire: fetch() would decompress it. */
const raw = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number; headers: Record<string, string>; body: Buffer }>(
    (resolve, reject) => {
      request(server.url + path, { method, headers }, (response) => {
        const { statusCode = 0, headers } = response;
        buffer(response).then(
          (body) =>
            resolve({ status: statusCode, headers: headers as Record<string, string>, body }),
          reject,
        );
      })
        .on('error', reject)
        .end();
    },
  );

const TEXTS = [
  '/registry/feed.atom',
  '/sitemap.xml',
  '/computes.csv',
  '/computes.json',
  '/metrics',
];

test.each(TEXTS)('%s is compressed as the client prefers it', async (path) => {
  const plain = await raw(path);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.headers['vary']).toBe('accept-encoding');
  expect(plain.body.length).toBeGreaterThan(1024);
  for (const [accepted, encoding, unpack] of [
    ['gzip, br', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
  ] as const) {
    const packed = await raw(path, { 'accept-encoding': accepted });
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.headers['content-length']).toBe(String(packed.body.length));
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    const text = unpack(packed.body).toString();
    expect(text.slice(0, 20)).toBe(plain.body.toString().slice(0, 20));
  }
  for (const accepted of ['gzip;q=0', 'identity', 'zstd'])
    expect((await raw(path, { 'accept-encoding': accepted })).headers['content-encoding']).toBe(
      undefined,
    );
});

const asset = async () =>
  /(?:src|href)="(\/assets\/[^"]+\.js)"/.exec(await (await server.get('/')).text())?.[1] ?? '';

test('files, downloads and assets have a tag, and are not sent again to a client that has them', async () => {
  const script = await asset();
  const paths = [
    ...TEXTS.filter((path) => path !== '/metrics'),
    '/nodes.csv',
    '/favicon.ico',
    '/favicon.svg',
    '/manifest.webmanifest',
    '/icon-180.png',
    script,
  ];
  for (const path of paths) {
    const { etag = '', vary } = (await raw(path, { 'accept-encoding': 'br' })).headers;
    expect([path, etag]).toEqual([path, expect.stringMatching(/^(W\/)?"[\w-]{22,27}"$/)]);
    for (const known of [etag, `"other", ${etag}`, '*']) {
      const again = await raw(path, { 'if-none-match': known, 'accept-encoding': 'br' });
      expect([path, again.status, again.body.length]).toEqual([path, 304, 0]);
      expect(again.headers).toMatchObject({ etag, 'cache-control': expect.any(String) as string });
      expect(again.headers['vary']).toBe(vary);
    }
    expect((await raw(path, { 'if-none-match': '"other"' })).status).toBe(200);
    const head = await raw(path, {}, 'HEAD');
    expect([head.status, head.body.length, Number(head.headers['content-length']) > 0]).toEqual([
      200,
      0,
      true,
    ]);
    expect(head.headers['access-control-allow-origin']).toBe('*');
  }
});

test('what a page loads by the dozen has no headers that nobody reads', async () => {
  const { headers } = await raw(await asset(), { 'accept-encoding': 'br' });
  const { date: _, connection: __, 'keep-alive': ___, ...own } = headers;
  expect(Object.keys(own).sort()).toEqual([
    'access-control-allow-origin',
    'cache-control',
    'content-encoding',
    'content-length',
    'content-type',
    'etag',
    'referrer-policy',
    'strict-transport-security',
    'vary',
    'x-content-type-options',
  ]);
  const missing = await raw('/assets/never-built.js');
  expect([missing.status, missing.headers['x-request-id']]).toEqual([404, expect.any(String)]);
});

test('the tag of a download stays while its rows do, and changes with them', async () => {
  const tags = async () =>
    Promise.all(
      ['csv', 'json'].map(async (end) => (await raw(`/computes.${end}`)).headers['etag']),
    );
  const before = await tags();
  const updatedAt = async () =>
    ((await (await server.get('/computes.json')).json()) as { updatedAt: string }).updatedAt;
  const then = await updatedAt();
  await expect.poll(updatedAt).not.toBe(then);
  expect(await tags()).toEqual(before);
  await server.post('/api/registry/computes', {
    nodeId: 'node_a',
    computes: [{ name: 'other', replicas: 1, freeSlots: 1 }],
  });
  for (const [n, tag] of (await tags()).entries()) expect(tag).not.toBe(before[n]);
});

test('any site may read a download and its name, and none the metrics or a reviewers’ export', async () => {
  const { headers } = await raw('/computes.csv');
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(headers['access-control-expose-headers']).toContain('content-disposition');
  for (const path of ['/metrics', '/review/history.csv', '/review/bans.json'])
    for (const method of ['GET', 'OPTIONS'])
      expect((await raw(path, {}, method)).headers['access-control-allow-origin']).toBeUndefined();
});

test('browsers are told to come by https only where PUBLIC_URL is https', async () => {
  const script = await asset();
  const paths = [
    '/',
    '/nothing',
    '/api/mesh',
    '/api/nothing',
    '/Computes',
    '/robots.txt',
    '/favicon.ico',
    script,
    '/api/trpc/mesh.places',
    '/registry/name-of-node_a/badge.svg',
    '/review/bans.json',
  ];
  for (const path of paths)
    expect([path, (await raw(path)).headers['strict-transport-security']]).toEqual([
      path,
      'max-age=63072000',
    ]);
  // Nobody may say so where there is no TLS (RFC 6797, section 7.2).
  for (const path of ['/', '/api/mesh'])
    expect(
      (await raw(path, { 'x-forwarded-proto': 'http' })).headers['strict-transport-security'],
    ).toBeUndefined();
  const ping = await server.post('/api/mesh/ping', aPing({ nodeId: 'node_a' }));
  expect([ping.status, ping.headers.get('strict-transport-security')]).toEqual([200, null]);
  const plain = await startTestServer({ env: { PUBLIC_URL: 'http://mesh.example' } });
  try {
    for (const path of ['/', '/api/mesh', '/favicon.ico'])
      expect((await plain.get(path)).headers.get('strict-transport-security')).toBeNull();
  } finally {
    await plain.stop();
  }
});

test('every icon that a page names, and the one that browsers ask for by themselves, is an image', async () => {
  const page = await (await server.get('/')).text();
  const links = page.matchAll(/<link rel="(?:icon|apple-touch-icon)" href="([^"]+)"/g);
  const manifest = await server.get('/manifest.webmanifest');
  expect(manifest.headers.get('content-type')).toBe('application/manifest+json');
  const { icons, name } = await manifest.json();
  expect(name).toBe('The Mesh & Friends');
  const named = [
    ...[...links].map(([, path]) => path),
    ...icons.map(({ src }: { src: string }) => src),
  ];
  expect(new Set(named)).toEqual(
    new Set(['/favicon.svg', '/icon-180.png', '/icon-192.png', '/icon-512.png']),
  );
  for (const path of [...named, '/favicon.ico']) {
    const answer = await server.get(path);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers.get('content-type')).toMatch(/^image\/(png|svg\+xml|x-icon)/);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(300);
  }
});

test('/favicon.ico has the icon as PNGs of 16, 32 and 48 pixels', async () => {
  const file = Buffer.from(await (await server.get('/favicon.ico')).arrayBuffer());
  expect([file.readUInt16LE(0), file.readUInt16LE(2), file.readUInt16LE(4)]).toEqual([0, 1, 3]);
  const widths = [0, 1, 2].map((n) => {
    const entry = file.subarray(6 + 16 * n, 22 + 16 * n);
    const from = entry.readUInt32LE(12);
    const png = file.subarray(from, from + entry.readUInt32LE(8));
    expect(png.toString('latin1', 1, 4)).toBe('PNG');
    expect(png.toString('latin1', png.length - 8, png.length - 4)).toBe('IEND');
    expect(entry[0]).toBe(png.readUInt32BE(16));
    return entry[0];
  });
  expect(widths).toEqual([16, 32, 48]);
});
