// npm run lint, and the first part of npm test: checks that only read the sources, side by side.
// Names as arguments select checks; without any, all of them run.
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

const CHECKS = {
  types: 'tsc',
  format: 'prettier --check .',
  code: 'eslint .',
  styles: 'stylelint "app/**/*.css"',
  unused: 'knip',
};

const programs = join(import.meta.dirname, '..', 'node_modules', '.bin');
const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` };

/**
 * Prints what a check says only if it fails.
 * @param {string} name
 * @returns {Promise<boolean>} whether it passed
 */
function run(name) {
  if (!(name in CHECKS)) throw new Error(`There is no check called ${name}.`);
  const startedAt = performance.now();
  const child = spawn(CHECKS[name], { shell: true, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve) =>
    child.once('close', (code) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      console.log(`${code === 0 ? '✓' : '✗'} ${CHECKS[name]} (${seconds} s)`);
      if (code !== 0) console.log(output);
      resolve(code === 0);
    }),
  );
}

const names = process.argv.slice(2);
const passed = await Promise.all((names.length > 0 ? names : Object.keys(CHECKS)).map(run));
if (passed.includes(false)) process.exitCode = 1;
