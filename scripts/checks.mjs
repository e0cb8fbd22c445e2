// npm run lint, and the first part of npm run check and npm test: checks that only read the sources, side by side.
// Names as arguments select checks; without any, all of them run.
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { generateClientTypes } from './generate.mjs';

/** Where checks store their results, to skip files that have not changed. */
const cache = 'node_modules/.cache/checks';

/** Each check's shell command, which runs in the project's folder. */
export const CHECKS = {
  // The file, because TypeScript 5 has a program called tsc as well. One checker needs the least CPU.
  types: `node node_modules/typescript-7/bin/tsc --checkers 1 --incremental --tsBuildInfoFile ${cache}/types.tsbuildinfo`,
  format: 'oxfmt --check',
  code: 'oxlint',
  rooms: `eslint . --cache --cache-strategy content --cache-location ${cache}/rooms`,
  styles: `stylelint "app/**/*.css" --cache --cache-strategy content --cache-location ${cache}/styles`,
  unused: `knip --cache --cache-location ${cache}/unused`,
};

const root = join(import.meta.dirname, '..');
const programs = join(root, 'node_modules', '.bin');
const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` };

/**
 * Runs a shell command, and prints what it says as it goes on, or only if it fails.
 * @param {string} name
 * @param {string} command
 * @param {{ live?: boolean }} [options]
 * @returns {Promise<{ name: string, passed: boolean, seconds: number, cpu: number }>} seconds by the
 * clock, and seconds of CPU in all its processes
 */
export function runStep(name, command, { live = false } = {}) {
  const startedAt = performance.now();
  // Only the shell can tell how much CPU its children used.
  const measured = `{ ${command}\n} 3>&-; code=$?; times >&3; exit $code`;
  const child = spawn('sh', ['-c', measured], {
    cwd: root,
    env,
    stdio: live ? ['ignore', 'inherit', 'inherit', 'pipe'] : ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (output += text));
  let times = '';
  child.stdio[3].setEncoding('utf8').on('data', (text) => (times += text));
  return new Promise((resolve) =>
    child.once('close', (code) => {
      const result = {
        name,
        passed: code === 0,
        seconds: (performance.now() - startedAt) / 1000,
        cpu: childrenSeconds(times),
      };
      const measures = `${result.seconds.toFixed(1)} s, CPU ${result.cpu.toFixed(1)} s`;
      console.log(`${result.passed ? '✓' : '✗'} ${name} (${measures})`);
      if (!result.passed) console.log(`${command}\n${output}`);
      resolve(result);
    }),
  );
}

/**
 * The second line that `times` prints has the user and system time of all children, as in 0m1.250s.
 * @param {string} times
 */
function childrenSeconds(times) {
  const parts = (times.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g);
  return [...parts].reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest),
    0,
  );
}

if (process.argv[1] === import.meta.filename) {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in CHECKS));
  if (unknown.length > 0) throw new Error(`There is no check called ${unknown.join(', ')}.`);
  const selected = names.length > 0 ? names : Object.keys(CHECKS);
  generateClientTypes();
  const results = await Promise.all(selected.map((name) => runStep(name, CHECKS[name])));
  if (results.some(({ passed }) => !passed)) process.exitCode = 1;
}
