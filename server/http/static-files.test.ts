import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Encoding } from '#server/live/index.ts';
import { createStaticFiles } from './static-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'static-files-'));
const directory = join(folder, 'client');
for (const path of [
  'favicon.ico',
  'assets/root-CkT3.js',
  'assets/root-CkT3.js.br',
  '.vite/manifest.json',
  '../client-before/assets/root-Aa0b.js',
  '../client-before/assets/root-CkT3.js',
  '../client-before/favicon.ico',
  '../client-before/gone.ico',
]) {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), path);
}
afterAll(() => rmSync(folder, { recursive: true }));

const findFile = createStaticFiles(directory);
const fileOf = async (path: string) => {
  const file = await findFile(path);
  if (!file) throw new Error(`no file ${path}`);
  const sent = async (encoding: Encoding) => {
    const { body, encoding: as } = await file.body.in(encoding);
    return [as, body.toString()];
  };
  return { ...file, sent };
};

test('a file of the build is served: a hashed one to be kept for ever, any other to be asked for again', async () => {
  const icon = await fileOf('/favicon.ico');
  expect(icon.contentType).toBe('image/x-icon');
  expect(icon.headers).toEqual({ 'cache-control': 'no-cache' });
  expect(await icon.sent('br')).toEqual(['identity', 'favicon.ico']);
  const script = await fileOf('/assets/root-CkT3.js');
  expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(await script.sent('br')).toEqual(['br', 'assets/root-CkT3.js.br']);
  expect(await script.sent('gzip')).toEqual(['identity', 'assets/root-CkT3.js']);
});

test('pages of the release before still find their hashed files, and only those', async () => {
  expect(await (await fileOf('/assets/root-Aa0b.js')).sent('identity')).toEqual([
    'identity',
    '../client-before/assets/root-Aa0b.js',
  ]);
  expect(await (await fileOf('/assets/root-CkT3.js')).sent('identity')).toEqual([
    'identity',
    'assets/root-CkT3.js',
  ]);
  expect(findFile('/gone.ico')).toBeNull();
});

test('its tag is that of its content, and weak where clients get different bytes', async () => {
  const [icon, script] = [await fileOf('/favicon.ico'), await fileOf('/assets/root-CkT3.js')];
  expect(icon.body.etag).toMatch(/^"[\w-]{27}"$/);
  expect(script.body.etag).toMatch(/^W\/"[\w-]{27}"$/);
  writeFileSync(join(directory, 'favicon.ico'), 'another icon');
  expect((await createStaticFiles(directory)('/favicon.ico'))?.body.etag).not.toBe(icon.body.etag);
});

test('a file that is gone is not found', async () => {
  const find = createStaticFiles(directory);
  rmSync(join(directory, 'favicon.ico'));
  await expect(find('/favicon.ico')).rejects.toMatchObject({ code: 'not_found' });
});

test.each([
  '/.vite/manifest.json',
  '/assets',
  '/assets/',
  '/assets/../favicon.ico',
  '/assets/gone.js',
  '/',
])('%s is no file', (path) => {
  expect(findFile(path)).toBeNull();
});
