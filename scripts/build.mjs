// Builds everything that `npm start` runs: the pages (Remix, Vite) and the server (esbuild). A fingerprint of the
// sources tells whether a build is up to date.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { isOfLastRelease, keepLast, setAside } from './last-release.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'build');
const fingerprintFile = join(folder, 'fingerprint');
const SOURCES = [
  'app',
  'server',
  'db',
  'packages/protocol',
  'public',
  'vite.config.ts',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/chunks.ts',
  'scripts/last-release.mjs',
];

function* files(path) {
  if (!existsSync(path)) return;
  if (extname(path) !== '') return yield path;
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    if (entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
      yield join(entry.parentPath, entry.name);
}

function fingerprint() {
  const hash = createHash('sha256').update(process.versions.node.split('.')[0]);
  for (const source of SOURCES)
    for (const file of [...files(join(root, source))].sort())
      hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest('hex');
}

export function isBuilt() {
  return existsSync(fingerprintFile) && readFileSync(fingerprintFile, 'utf8') === fingerprint();
}

/** @param {{ quiet?: boolean }} [options] */
export async function build({ quiet = false } = {}) {
  const remix = join(root, 'node_modules', '@remix-run', 'dev', 'dist', 'cli.js');
  if (!existsSync(remix))
    throw new Error(
      'The build tools are not installed. Run "npm ci --include=dev", then "npm run build".',
    );
  setAside(folder);
  removeBuild();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [remix, 'vite:build', ...(quiet ? ['--logLevel', 'warn'] : [])],
    {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production' },
      encoding: 'utf8',
      stdio: ['ignore', ...(quiet ? ['pipe', 'pipe'] : ['inherit', 'inherit'])],
      maxBuffer: Infinity,
    },
  );
  if (status !== 0)
    throw new Error(['The pages could not be built.', stdout, stderr].filter(Boolean).join('\n'));
  await bundle({
    main: 'server/main.ts',
    reviewer: 'server/cli/reviewer.ts',
    backup: 'server/cli/backup.ts',
    restore: 'server/cli/restore.ts',
    'registry-log': 'server/cli/registry-log.ts',
    'list-worker': 'server/live/answers/list-worker.ts',
    'picture-worker': 'server/drawing/picture-worker.ts',
    'map-worker': 'server/drawing/map-worker.ts',
    distribute: 'server/cli/distribute.ts',
  });
  forgetResources();
  joinLayers();
  compressAssets();
  keepLast(folder);
  writeFileSync(fingerprintFile, fingerprint());
}

/** Removes the last build, but not the packages that have commands of their own, nor what open pages ask for. */
function removeBuild() {
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (name !== 'agent' && name !== 'mesh-client' && !isOfLastRelease(name))
      rmSync(join(folder, name), { recursive: true });
}

/** @param {Record<string, string>} programs sources by the name of their bundle */
async function bundle(programs) {
  const esbuild = await import('esbuild');
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: programs,
    outdir: 'build',
    bundle: true,
    packages: 'external',
    // What is in this repository is source, and goes into the bundle.
    alias: { '@mesh-registry/protocol': './packages/protocol' },
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
    plugins: [ONLY_THE_VERSION],
  });
}

/** Of package.json, the bundles need the version; else they would also name every package of the peer process. */
const ONLY_THE_VERSION = {
  name: 'only-the-version',
  /** @param {import('esbuild').PluginBuild} build */
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/**
 * Browsers are told of the routes that have a page, and of no others: each visitor loads this list, and the router of
 * the pages can do nothing with an answer that only the server makes. The script of such a route is empty.
 */
function forgetResources() {
  const assets = join(folder, 'client', 'assets');
  const isEmpty = (/** @type {string} */ url) =>
    readFileSync(join(folder, 'client', url), 'utf8').trim() === '';
  for (const name of readdirSync(assets).filter((file) => /^manifest-.*\.js$/.test(file))) {
    const [before, json, after] = readFileSync(join(assets, name), 'utf8').split(/(\{.*\})/s);
    const { routes, ...manifest } = JSON.parse(json);
    const pages = Object.entries(routes).filter(([, { module }]) => !isEmpty(module));
    const list = JSON.stringify({ ...manifest, routes: Object.fromEntries(pages) });
    writeFileSync(join(assets, name), before + list + after);
  }
}

/** What postcss.config.js puts before each style, as in `npm run dev` any may be the first. In a file, one is enough. */
const LAYERS = '@layer reset,ui,feature,utilities;';

/** Removes the others, and makes one layer of styles that follow each other in the same. */
function joinLayers() {
  const assets = join(folder, 'client', 'assets');
  for (const name of readdirSync(assets).filter((file) => file.endsWith('.css'))) {
    const [before, ...styles] = readFileSync(join(assets, name), 'utf8').trim().split(LAYERS);
    if (styles.length === 0) continue;
    let all = '';
    let last = null;
    for (const style of styles) {
      // A module is in one layer from its start to its end.
      const [start] = /^@layer (?:ui|feature)\{(?=[^]*\}$)(?![^]*@layer)/.exec(style) ?? [];
      all = start && start === last ? all.slice(0, -1) + style.slice(start.length) : all + style;
      last = start ?? null;
    }
    writeFileSync(join(assets, name), before + LAYERS + all);
  }
}

/** Assets never change, so they are compressed once, as small as possible. */
function compressAssets() {
  for (const file of files(join(root, 'build', 'client'))) {
    if (!['.js', '.css', '.json', '.svg', '.txt'].includes(extname(file))) continue;
    const content = readFileSync(file);
    if (content.length < 1024) continue;
    writeFileSync(`${file}.br`, brotliCompressSync(content));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}

if (process.argv[1] === import.meta.filename) await build();
