import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildOf, currentBuild, type Build } from './bench/builds.ts';
import { drawGrowth } from './bench/growth-chart.ts';
import { formatResult, writeSummary } from './bench/report.ts';
import { runPlan } from './bench/run.ts';
import { fleet } from './bench/scenarios/fleet.ts';
import { pings, reads, signed } from './bench/scenarios/rates.ts';
import { replication } from './bench/scenarios/replication.ts';
import type { Scenario } from './bench/scenarios/scenario.ts';
import { lookups, reopen, streams, typed } from './bench/scenarios/viewers.ts';
import { describeOccasion, saveResults } from './figures.ts';
import { hasWrk } from './load/wrk.ts';

/** `npm run bench`: what the service costs. docs/performance.md explains the figures. */

/** In the order in which they run. */
const SCENARIOS: Scenario[] = [
  pings,
  signed,
  reads,
  lookups,
  streams,
  replication,
  reopen,
  typed,
  fleet,
];

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    scenarios: { type: 'string' },
    processes: { type: 'string' },
    databases: { type: 'string' },
    nodes: { type: 'string' },
    seconds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    compare: { type: 'string' },
    rounds: { type: 'string' },
    wrk: { type: 'boolean', default: false },
    profile: { type: 'string' },
    growth: { type: 'boolean', default: false },
    write: { type: 'string', multiple: true, default: [] },
  },
});

const HELP = `npm run bench -- [options]

  --scenarios pings,fleet   Only these:
${SCENARIOS.map(({ name, about }) => `                              ${name.padEnd(13)}${about}`).join('\n')}
  --processes 1,3           Server processes (WEB_CONCURRENCY), one after the other.
  --databases postgres      Leaves out the embedded database.
  --nodes 10000,100000      Instead of each scenario's own number, one after the other.
  --seconds 5               Of each measurement. --quick takes 2.
  --compare main            Measures this Git commit as well, in alternation, and prints both.
  --rounds 3                Repetitions, of which the median is printed. Default 1; with --compare, 3.
  --wrk                     Rates by wrk as well, if it is installed.
  --profile DIRECTORY       Writes a CPU profile of each server process, for Chrome's developer tools.
  --growth                  Short for --scenarios pings,fleet --processes 1 --databases postgres
                            --nodes 1000,3000,10000,30000,100000.
  --write docs/performance.svg   Draws the growth.
  --write docs/performance.md    Replaces the table in it. Both can be given at once.
`;

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

if (values.help) {
  console.log(HELP);
  process.exit();
}
const GROWTH = {
  scenarios: 'pings,fleet',
  processes: '1',
  databases: 'postgres',
  nodes: '1000,3000,10000,30000,100000',
};
const ALL = {
  scenarios: SCENARIOS.map(({ name }) => name).join(','),
  processes: '1,3',
  databases: 'postgres,embedded',
};
const chosen = { ...(values.growth ? GROWTH : ALL), ...values };

function numbers(option: string, text: string): number[] {
  const found = text.split(',').map(Number);
  if (found.some((number) => !Number.isInteger(number) || number < 1))
    fail(`--${option} takes whole numbers, separated by commas.`);
  return found;
}
const scenarios = chosen.scenarios.split(',').map((name) => {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  return found ?? fail(`There is no scenario ${name}.\n\n${HELP}`);
});
if (values.wrk && !hasWrk()) fail('wrk is not installed (Debian: apt-get install wrk).');

const before: Build[] = [];
process.on('exit', () => before.forEach((build) => build.remove()));
try {
  if (values.compare !== undefined) before.push(buildOf(values.compare));
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
const builds = [...before, await currentBuild()];

const labels = builds.map(({ label }) => label);
const seconds = Number(values.seconds ?? (values.quick ? 2 : 5));
const { occasion, machine, when } = describeOccasion(process.version);
console.log(`${labels.join(' and ')}; ${machine}`);
const results = await runPlan(
  {
    scenarios,
    builds,
    rounds: Number(values.rounds ?? (values.compare === undefined ? 1 : 3)),
    processes: numbers('processes', chosen.processes),
    embedded: chosen.databases.split(',').includes('embedded'),
    nodes: chosen.nodes === undefined ? undefined : numbers('nodes', chosen.nodes),
    nodeArgs:
      values.profile === undefined
        ? []
        : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile)}`],
    options: { seconds, wrk: values.wrk },
  },
  (result) => console.log(formatResult(result)),
);
saveResults('latest', { ...occasion, builds: labels, seconds, results });
for (const file of values.write)
  if (file.endsWith('.svg')) writeFileSync(file, drawGrowth(results, when));
  else
    writeSummary(file, results, `${labels.map((label) => `\`${label}\``).join(' and ')}, ${when}:`);
