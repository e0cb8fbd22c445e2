// `npm run build:client`: the typed client as a package of its own, in build/mesh-client, for `npm pack`.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { generateClientTypes } from './generate.mjs';
import { packageOf, writePackage } from './packages.mjs';

const root = join(import.meta.dirname, '..');
const outdir = join(root, 'build', 'mesh-client');

rmSync(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ['packages/client/index.ts'],
  outfile: join(outdir, 'index.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  // The parser of event streams names its ES module only here.
  mainFields: ['module', 'main'],
  target: 'es2022',
  logLevel: 'warning',
});
generateClientTypes();
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const options = ['-p', join(root, 'packages', 'client'), '--outDir', outdir];
const { status } = spawnSync(process.execPath, [compiler, ...options], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
// No public declaration refers to it.
rmSync(join(outdir, 'problem.d.ts'));

// The type of the public procedures has an entry of its own: it names @trpc/server, which the client doesn't need.
const tsx = join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs');
const router = spawnSync(
  process.execPath,
  [tsx, join(root, 'scripts', 'public-router.ts'), join(outdir, 'trpc.d.ts')],
  { cwd: root, stdio: 'inherit' },
);
if (router.status !== 0) process.exit(1);
writeFileSync(join(outdir, 'trpc.js'), 'export {};\n');

writePackage(outdir, {
  name: 'mesh-registry-client',
  from: 'packages/client',
  fields: {
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './trpc': { types: './trpc.d.ts', default: './trpc.js' },
    },
    sideEffects: false,
    peerDependencies: { '@trpc/server': `^${packageOf('.').dependencies['@trpc/server']}` },
    peerDependenciesMeta: { '@trpc/server': { optional: true } },
  },
});
