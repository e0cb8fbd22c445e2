import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { CHUNKS, shortClass } from '../scripts/chunks.ts';
import { importGraph } from '../scripts/house.mjs';

const ROOT = join(import.meta.dirname, '..');
const BUILD = join(ROOT, 'build');
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
  const files = (
    await Promise.all(
      ['app', 'server'].map(async (folder) =>
        (await readdir(join(ROOT, folder), { recursive: true })).map((file) => join(folder, file)),
      ),
    )
  ).flat();
  const known = new Set(files.map((file) => file.replace(/\.(tsx?|css)$/, '')));
  expect(paths.filter((path) => !known.has(path) && !known.has(`${path}.module`))).toEqual([]);
});

interface ManifestRoute {
  id: string;
  module: string;
  css?: string[];
}

/** The routes that browsers know. */
async function readRoutes(): Promise<ManifestRoute[]> {
  const names = await readdir(ASSETS);
  const manifest = names.find((name) => /^manifest-.*\.js$/.test(name)) ?? '';
  const [json = ''] = /\{.*\}/s.exec(await readFile(join(ASSETS, manifest), 'utf8')) ?? [];
  return Object.values((JSON.parse(json) as { routes: Record<string, ManifestRoute> }).routes);
}

test('browsers are told of the routes that have a page, and of no others', async () => {
  const ids = (await readRoutes()).map(({ id }) => id);
  expect(ids).toContain('routes/computes');
  expect(ids).toContain('routes/$');
  expect(ids.filter((id) => /api|\[\.\]|readyz|metrics/.test(id))).toEqual([]);
});

/** A script with all that it imports, at once or later. */
async function scriptsFrom(first: string): Promise<Set<string>> {
  const all = new Set([first]);
  for (const name of all)
    for (const [, next = ''] of (await readFile(join(ASSETS, name), 'utf8')).matchAll(
      /(?:from|import\(?)\s*["']\.\/([\w.-]+\.js)["']/g,
    ))
      all.add(next);
  return all;
}

/** What is named to be sent in a script, together with whatever else. */
const namedIn = (script: string): readonly string[] =>
  CHUNKS[/^[a-z]+(?=-.{8}\.js$)/.exec(script)?.[0] ?? ''] ?? [];

test('no page loads the components of another one, but for what is named to be sent together with what it uses', async () => {
  const graph = importGraph();
  const reachedFrom = (...files: string[]) => {
    const reached = new Set(files);
    for (const file of reached) for (const next of graph.get(file) ?? []) reached.add(next);
    return reached;
  };
  const sent = new Map<string, string>();
  for (const file of graph.keys()) {
    const style = file.replace(/\.tsx$/, '.module.css');
    if (!/^app\/features\/.*\.tsx$/.test(file) || !existsSync(join(ROOT, style))) continue;
    // What a component's classes end with: as long as its script is, so are they.
    sent.set(shortClass('', join(ROOT, style)), file);
  }
  const wrong: string[] = [];
  for (const { id, module } of await readRoutes()) {
    if (!id.startsWith('routes/') || id.includes('review')) continue;
    const own = reachedFrom(`app/${id}.tsx`, 'app/root.tsx', 'app/entry.client.tsx');
    expect(own.size, id).toBeGreaterThan(20);
    for (const script of await scriptsFrom(basename(module))) {
      const named = namedIn(script);
      if (named === CHUNKS['shared']) continue;
      const used = named.some((path) => own.has(`${path}.tsx`) || own.has(`${path}.ts`));
      const text = await readFile(join(ASSETS, script), 'utf8');
      for (const [, end = ''] of text.matchAll(/["'`]\w+?(_[\w-]{3})["'`]/g)) {
        const file = sent.get(end);
        const isShared = used && named.some((path) => file === `${path}.tsx`);
        if (file && !own.has(file) && !isShared) wrong.push(`${id}: ${file} in ${script}`);
      }
    }
  }
  expect([...new Set(wrong)]).toEqual([]);
});

test('the styles of a public page are less than 9.6 KB, those of the map less than 12', async () => {
  const routes = await readRoutes();
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
