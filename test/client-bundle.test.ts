import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { CHUNKS } from '../scripts/chunks.ts';

const BUILD = join(import.meta.dirname, '..', 'build');
const ASSETS = join(BUILD, 'client', 'assets');

test('the validation library is not sent to browsers', async () => {
  const scripts = (await readdir(ASSETS)).filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(10);
  const found: string[] = [];
  for (const name of scripts)
    // The name of its error stays in it whatever a minifier does.
    if ((await readFile(join(ASSETS, name), 'utf8')).includes('ZodError')) found.push(name);
  expect(found).toEqual([]);
});

test('what is sent together is named once, and is there', async () => {
  const paths = Object.values(CHUNKS).flat();
  expect(paths.filter((path, n) => paths.indexOf(path) !== n)).toEqual([]);
  const root = join(BUILD, '..');
  const files = (
    await Promise.all(
      ['app', 'server'].map(async (folder) =>
        (await readdir(join(root, folder), { recursive: true })).map((file) => join(folder, file)),
      ),
    )
  ).flat();
  const known = new Set(files.map((file) => file.replace(/\.(tsx?|css)$/, '')));
  expect(paths.filter((path) => !known.has(path) && !known.has(`${path}.module`))).toEqual([]);
});

interface ManifestRoute {
  id: string;
  css?: string[];
}

test('the styles of a public page are less than 9.6 KB, those of the map less than 12', async () => {
  const names = await readdir(ASSETS);
  const manifest = names.find((name) => /^manifest-.*\.js$/.test(name)) ?? '';
  const [json = ''] = /\{.*\}/s.exec(await readFile(join(ASSETS, manifest), 'utf8')) ?? [];
  const routes = Object.values(
    (JSON.parse(json) as { routes: Record<string, ManifestRoute> }).routes,
  );
  const sheets = (id: string) => routes.find((route) => route.id === id)?.css ?? [];
  const pages = routes.filter(({ id }) => id.startsWith('routes/') && !id.includes('review'));
  expect(pages.length).toBeGreaterThan(10);
  for (const { id } of pages) {
    const parent = id.startsWith('routes/docs.') ? sheets('routes/docs') : [];
    const css = new Set([...sheets('root'), ...parent, ...sheets(id)]);
    const sizes = await Promise.all(
      [...css].map(
        async (url) => brotliCompressSync(await readFile(join(ASSETS, '..', url))).length,
      ),
    );
    expect(
      sizes.reduce((sum, size) => sum + size, 0),
      id,
    ).toBeLessThan(id === 'routes/_index' ? 12_000 : 9_600);
  }
});

test('the service does not load the protocol between nodes', async () => {
  const programs = (await readdir(BUILD, { recursive: true })).filter(
    (file) => file.endsWith('.js') && !/^(client|agent|mesh-client)\//.test(file),
  );
  expect(programs).toContain('main.js');
  expect(programs).toContain(join('server', 'index.js'));
  const found: string[] = [];
  for (const file of programs)
    // Packages are not bundled: what is imported is named as in the source.
    if (/['"]@?(libp2p|multiformats)['"/]/.test(await readFile(join(BUILD, file), 'utf8')))
      found.push(file);
  expect(found).toEqual([]);
});
