// `npm run build:client`: the typed client as a package of its own, in build/mesh-client, for `npm pack`.
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { generateClientTypes } from './generate.mjs';

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
const types = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
    '-p',
    join(root, 'packages', 'client'),
    '--outDir',
    outdir,
  ],
  { stdio: 'inherit' },
);
if (types.status !== 0) process.exit(1);

const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { description, engines } = JSON.parse(
  readFileSync(join(root, 'packages', 'client', 'package.json'), 'utf8'),
);
writeFileSync(
  join(outdir, 'package.json'),
  JSON.stringify(
    {
      name: 'mesh-registry-client',
      version,
      license,
      description,
      type: 'module',
      exports: { '.': { types: './index.d.ts', default: './index.js' } },
      sideEffects: false,
      engines,
    },
    null,
    2,
  ) + '\n',
);
copyFileSync(join(root, 'packages', 'client', 'README.md'), join(outdir, 'README.md'));
copyFileSync(join(root, 'LICENSE'), join(outdir, 'LICENSE'));
// No public declaration refers to it.
rmSync(join(outdir, 'problem.d.ts'));
