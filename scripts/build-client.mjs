// `npm run build:client`: the typed client as a package of its own, in build/mesh-client, for `npm pack`.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { generateClientTypes } from './generate.mjs';
import { writePackage } from './packages.mjs';

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

writePackage(outdir, {
  name: 'mesh-registry-client',
  from: 'packages/client',
  fields: {
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    sideEffects: false,
  },
});
