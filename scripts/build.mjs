// Builds everything that `npm start` runs: the pages (Remix, Vite) and the server (esbuild).
// A fingerprint of the sources says whether a build is still right, so that a second start is quick.
import { spawnSync } from 'node:child_process';
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
      'The tools that build are not installed. Run "npm ci --include=dev", then "npm run build".',
    );
  rmSync(join(root, 'build'), { recursive: true, force: true });
  const result = spawnSync(
    process.execPath,
    [remix, 'vite:build', ...(quiet ? ['--logLevel', 'warn'] : [])],
    {
      cwd: root,
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production' },
      encoding: 'utf8',
    },
  );
  if (result.status !== 0)
    throw new Error(`The pages could not be built.\n${result.stdout ?? ''}${result.stderr ?? ''}`);

  const esbuild = await import('esbuild');
  await esbuild.build({
    entryPoints: {
      main: join(root, 'server', 'main.ts'),
      reviewer: join(root, 'server', 'cli', 'reviewer.ts'),
    },
    outdir: join(root, 'build'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
  });
  compressAssets(join(root, 'build', 'client'));
  writeFileSync(fingerprintFile, fingerprint());
}

/** What never changes is compressed once, as small as it gets. */
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
