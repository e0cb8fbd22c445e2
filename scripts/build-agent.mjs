// `npm run build:agent`: the operator's agent as a package of its own, in build/agent or the folder that is given, for
// `npm pack`: one file without dependencies.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { agentBundle, packageOf, REQUIRE, writePackage } from './packages.mjs';

const root = join(import.meta.dirname, '..');
const given = process.argv[2];
const outdir = given ? resolve(given) : join(root, 'build', 'agent');
const PROGRAM = 'mesh-agent.mjs';

// A folder of somebody else's may hold more than a package.
if (!given) rmSync(outdir, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['packages/agent/main.ts'],
  outfile: join(outdir, PROGRAM),
  ...agentBundle,
  define: { AGENT_VERSION: JSON.stringify(packageOf('.').version) },
  banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
  metafile: true,
});
chmodSync(join(outdir, PROGRAM), 0o755);

/** The packages in the bundle: their licences ask to come along. */
const bundled = new Set(
  Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
    .filter((folder) => folder !== undefined),
);
const licences = [...bundled].sort().map((folder) => {
  const pkg = packageOf(folder);
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(root, folder, file), 'utf8').trim() : mitOf(pkg);
  return `${pkg.name} ${pkg.version}\n\n${text}\n`;
});

/** The text for a package that names MIT as a licence but comes without a copy of it: ours, with its authors. */
function mitOf({ name, license, homepage }) {
  if (!/\bMIT\b/.test(license)) throw new Error(`${name} has no licence file.`);
  const text = readFileSync(join(root, 'LICENSE'), 'utf8').trim();
  return text.replace(/^Copyright .*$/m, `Copyright (c) the authors of ${name}, ${homepage}`);
}
writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES'), licences.join(`\n${'-'.repeat(72)}\n\n`));

writePackage(outdir, {
  name: 'mesh-agent',
  from: 'packages/agent',
  fields: { bin: { 'mesh-agent': PROGRAM } },
});
