// The tests, as three commands: `npm run check` before a commit, `npm test` before a push, `npm run test:more` for what
// takes long. Each prints what its steps took, beside what it may take on two idle cores, and its slowest tests.
// `npm test -- changed [COMMIT]` runs what belongs to the files that changed since a commit, by default the last one.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { isBuilt } from './build.mjs';
import { specsOf } from './changed-specs.mjs';
import { CHECKS, runStep } from './checks.mjs';
import { generateClientTypes } from './generate.mjs';

const root = join(import.meta.dirname, '..');
/** In the project's folder, where the steps run. */
const reports = 'node_modules/.cache/tests';
const SLOWEST = 20;
/** Printed of each failure at the end; all of it stands where its step ran. */
const FAILURE_LINES = 12;

/** Each step's report has a name of its own. */
let reportCount = 0;
const report = () => `${reports}/${reportCount++}.json`;
/** @param {string} args */
const vitest = (args) =>
  `vitest run ${args} --reporter=default --reporter=json --outputFile.json=${report()}`;
/** @param {string} args */
const playwright = (args) =>
  `PLAYWRIGHT_JSON_OUTPUT_FILE=${report()} playwright test ${args} --reporter=list,json`;

const build = () => (isBuilt() ? {} : { build: 'node scripts/build.mjs' });

/**
 * What a command runs: stages of steps, which run side by side, as shell commands by name. Nothing follows a first stage
 * that failed. `bound` is in seconds, on two idle cores.
 */
const COMMANDS = {
  check: () => ({
    stages: [{ ...CHECKS, unit: vitest('--project=unit') }],
    bound: { cpu: 150, clock: 90 },
  }),
  test: () => ({
    stages: [
      { ...CHECKS, ...build() },
      { 'unit and service': vitest('--project=unit --project=service') },
      { browser: playwright('--project=desktop --project=phone') },
    ],
    bound: { cpu: 560, clock: 360 },
  }),
  more: () => ({
    stages: [
      build(),
      { 'faults and peers': vitest('--project=more') },
      { 'more in the browser': playwright('--project=desktop-more --project=phone-more') },
    ],
    bound: { cpu: 750, clock: 480 },
  }),
  changed: (since = 'HEAD') => {
    const files = changedFiles(since);
    const specs = specsOf(files).map((name) => `e2e/${name}.spec.ts`);
    return {
      stages: [
        { ...CHECKS, ...build() },
        {
          'unit and service': vitest(
            `--project=unit --project=service --passWithNoTests --changed='${since}'`,
          ),
        },
        // Vitest follows imports, but pages are asked of the build.
        files.some((file) => file.startsWith('app/'))
          ? { pages: vitest('--project=service test/pages') }
          : {},
        specs.length > 0
          ? {
              browser: playwright(
                `--project=desktop --project=phone --pass-with-no-tests ${specs.join(' ')}`,
              ),
            }
          : {},
      ],
    };
  },
};

/** @param {string} since a commit */
function changedFiles(since) {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  return [
    ...git('diff', '--name-only', since),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}

/**
 * @typedef {object} TestRun
 * @property {string} title
 * @property {string} file
 * @property {number} seconds
 * @property {string[]} failures what it says of each failure
 */

/** @returns {TestRun[]} every test of the reports, and every file that failed before its tests */
function testsRun() {
  return readdirSync(join(root, reports)).flatMap((name) => {
    const json = JSON.parse(readFileSync(join(root, reports, name), 'utf8'));
    return json.testResults ? vitestTests(json) : json.suites.flatMap(playwrightTests);
  });
}

const vitestTests = ({ testResults }) =>
  testResults.flatMap(({ name, message, assertionResults }) => [
    ...assertionResults.map(({ fullName, duration, failureMessages }) => ({
      title: fullName,
      file: relative(root, name),
      seconds: (duration ?? 0) / 1000,
      failures: failureMessages ?? [],
    })),
    ...(message
      ? [{ title: '', file: relative(root, name), seconds: 0, failures: [message] }]
      : []),
  ]);

const playwrightTests = ({ suites = [], specs }) => [
  ...specs.flatMap(({ title, file, tests }) =>
    tests.map(({ projectName, results }) => ({
      title: `${title} (${projectName})`,
      file: `e2e/${file}`,
      seconds: results.reduce((sum, { duration }) => sum + duration, 0) / 1000,
      failures: results.flatMap(({ errors }) => errors.map(({ message }) => message ?? '')),
    })),
  ),
  ...suites.flatMap(playwrightTests),
];

/** @param {TestRun[]} tests */
function printSlowest(tests) {
  if (tests.length === 0) return;
  console.log(`\nThe slowest of ${tests.length} tests:`);
  for (const { title, file, seconds } of tests
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST))
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}: ${title}`);
}

/**
 * Whoever reads only the end of a log sees which tests failed, and the first lines of why.
 * @param {TestRun[]} tests
 */
function printFailures(tests) {
  for (const { title, file, failures } of tests)
    for (const failure of failures) {
      const lines = stripVTControlCharacters(failure)
        .split('\n')
        .filter((line) => !line.includes('node_modules'));
      console.log(`\n✗ ${[file, title].filter(Boolean).join(': ')}`);
      for (const line of lines.slice(0, FAILURE_LINES)) console.log(`    ${line}`);
    }
}

/** Seconds of CPU that this machine has used since it started. */
const machineSeconds = () =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) /
  1000;

function printTimes(steps, machine, clock, bound) {
  const line = (name, cpu, seconds, note = '') =>
    console.log(
      `${name.padEnd(20)} ${cpu.toFixed(1).padStart(7)} s of CPU ${seconds.toFixed(1).padStart(7)} s${note}`,
    );
  console.log('');
  for (const { name, cpu, seconds } of steps) line(name, cpu, seconds);
  // A browser's processes outlive the one that started them: its step counts a part of them only.
  line(
    'this machine',
    machine,
    clock,
    bound && `, at most ${bound.cpu} and ${bound.clock} on two idle cores`,
  );
}

// Of `npm test -- changed`, the script itself says the first word: test.
const [, , ...words] = process.argv;
const at = words.includes('changed') ? words.indexOf('changed') : 0;
const [command = '', ...args] = words.slice(at);
if (!(command in COMMANDS) || args.length > (command === 'changed' ? 1 : 0)) {
  console.error(
    `There is nothing called "${words.join(' ')}". Run npm run check, npm test, npm run test:more, or npm test -- changed, with a commit if you like.`,
  );
  process.exit(1);
}

rmSync(join(root, reports), { recursive: true, force: true });
mkdirSync(join(root, reports), { recursive: true });
const startedAt = performance.now();
const machineBefore = machineSeconds();
generateClientTypes();
const { stages, bound } = COMMANDS[command](...args);
const done = [];
for (const stage of stages) {
  const live = Object.keys(stage).length === 1;
  done.push(
    ...(await Promise.all(
      Object.entries(stage).map(([name, command]) => runStep(name, command, { live })),
    )),
  );
  if (stage === stages[0] && done.some(({ passed }) => !passed)) break;
}
const tests = testsRun();
printSlowest(tests);
printTimes(done, machineSeconds() - machineBefore, (performance.now() - startedAt) / 1000, bound);
printFailures(tests);
const failed = done.filter(({ passed }) => !passed).map(({ name }) => name);
console.log(failed.length > 0 ? `\n✗ Failed: ${failed.join(', ')}` : '\n✓ Everything passed');
if (failed.length > 0) process.exitCode = 1;
