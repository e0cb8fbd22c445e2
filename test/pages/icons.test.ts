import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.stop());

test('every icon that a page names, and the one that browsers ask for by themselves, is an image', async () => {
  const page = await (await server.get('/')).text();
  const links = page.matchAll(/<link rel="(?:icon|apple-touch-icon)" href="([^"]+)"/g);
  const { icons } = await (await server.get('/manifest.webmanifest')).json();
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
