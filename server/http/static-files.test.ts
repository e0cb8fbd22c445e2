import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createStaticFiles } from './static-files.ts';

const directory = mkdtempSync(join(tmpdir(), 'static-files-'));
for (const path of ['favicon.ico', 'assets/root-CkT3.js', '.vite/manifest.json']) {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), path);
}
afterAll(() => rmSync(directory, { recursive: true }));

const findFile = createStaticFiles(directory);
const responseOf = (path: string, method = 'GET') =>
  findFile(new Request(`http://localhost${path}`, { method }), path)?.();

test('a file of the build is served: a hashed one to be kept for ever, any other to be asked for again', async () => {
  const icon = await responseOf('/favicon.ico');
  expect(await icon?.text()).toBe('favicon.ico');
  expect(icon?.headers.get('cache-control')).toBe('no-cache');
  const script = await responseOf('/assets/root-CkT3.js');
  expect(await script?.text()).toBe('assets/root-CkT3.js');
  expect(script?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

test.each([
  '/.vite/manifest.json',
  '/assets',
  '/assets/',
  '/assets/../favicon.ico',
  '/assets/gone.js',
  '/',
])('%s is no file', (path) => {
  expect(responseOf(path)).toBeUndefined();
});

test('only GET and HEAD get a file', async () => {
  expect(responseOf('/favicon.ico', 'POST')).toBeUndefined();
  const head = await responseOf('/favicon.ico', 'HEAD');
  expect(head?.headers.get('content-length')).toBe('11');
});
