// What the packages that people install have alike, the agent and the client.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** @param {string} folder of the project @returns its package.json */
export const packageOf = (folder) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/**
 * Writes the files beside a package's code: its package.json, README and LICENSE.
 * @param {string} outdir
 * @param {{ name: string, from: string, fields: object }} options the folder with its README and description; further
 * fields of package.json
 */
export function writePackage(outdir, { name, from, fields }) {
  const { version, license } = packageOf('.');
  const { description, engines } = packageOf(from);
  const content = { name, version, license, description, type: 'module', ...fields, engines };
  writeFileSync(join(outdir, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
  copyFileSync(join(root, from, 'README.md'), join(outdir, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(outdir, 'LICENSE'));
}

/** How the agent is bundled: one file without dependencies. */
export const agentBundle = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** Commander is CommonJS, and requires modules of Node. */
export const REQUIRE = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);`;
