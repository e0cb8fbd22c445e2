// Builds everything that `npm start` runs: the pages (Remix, Vite) and the server (esbuild). A fingerprint of the
// sources tells whether a build is up to date.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const fingerprintFile = join(root, 'build', 'fingerprint');
const SOURCES = [
  'app',
  'server',
  'db',
  'packages/protocol',
  'public',
  'vite.config.ts',
  'package-lock.json',
  'scripts/build.mjs',
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
  removeBuild();
  await node([remix, 'vite:build', ...(quiet ? ['--logLevel', 'warn'] : [])], { quiet }).catch(
    (error) => {
      throw new Error('The pages could not be built.', { cause: error });
    },
  );
  await bundle(join(root, 'build'), {
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
  compressAssets(join(root, 'build', 'client'));
  writeFileSync(fingerprintFile, fingerprint());
}

/** Removes the last build, but not the packages that have commands of their own. */
function removeBuild() {
  const folder = join(root, 'build');
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (name !== 'agent' && name !== 'mesh-client') rmSync(join(folder, name), { recursive: true });
}

/**
 * @param {string} outdir
 * @param {Record<string, string>} programs sources by the name of their bundle
 */
async function bundle(outdir, programs) {
  const esbuild = await import('esbuild');
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: programs,
    outdir,
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
 * Runs a Node program. A quiet one prints nothing: what it printed is returned, or is in the error if it fails.
 * @param {string[]} args
 * @param {{ quiet: boolean }} options
 * @returns {Promise<string>}
 */
function node(args, { quiet }) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  let [output, errors] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr?.setEncoding('utf8').on('data', (text) => (errors += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? resolve(output)
        : reject(new Error(`${args[0]} ended with ${code}.\n${output}${errors}`)),
    );
  });
}

/** Assets never change, so they are compressed once, as small as possible. */
function compressAssets(directory) {
  for (const file of files(directory)) {
    if (!['.js', '.css', '.json', '.svg', '.txt', '.webmanifest'].includes(extname(file))) continue;
    const content = readFileSync(file);
    if (content.length < 1024) continue;
    writeFileSync(`${file}.br`, brotliCompressSync(content));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
