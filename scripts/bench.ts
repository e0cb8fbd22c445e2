import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PostgresDatabase } from '../test/support/databases.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { buildOf, currentBuild, type Build } from './bench/builds.ts';
import { createNodes, createTemplate } from './bench/databases.ts';
import { drawGrowth } from './bench/growth-chart.ts';
import { formatResult, formatRows, formatSummary, type Result } from './bench/report.ts';
import { SCENARIOS } from './bench/scenarios.ts';
import { startService, type Service } from './bench/service.ts';
import { describeOccasion, replaceMarked, saveResults } from './figures.ts';
import { fail, FLAG, readNumber, readOptionsAndNames, TEXT, TEXTS } from './options.ts';

/** `npm run bench`: what the service costs. docs/performance.md explains the figures. */

const list = (isTrial: boolean) =>
  Object.entries(SCENARIOS)
    .filter(([, { trial }]) => (trial !== undefined) === isTrial)
    .map(([name, { about }]) => `                              ${name.padEnd(13)}${about}\n`)
    .join('');

const HELP = `npm run bench -- [scenario …] [options]

  Without a scenario, all of these:
${list(false)}\
  With the limits of production, only if named:
${list(true)}\

  --scenarios pings,fleet   Another way to name scenarios.
  --processes 1,3           Server processes (WEB_CONCURRENCY), one after the other.
  --nodes 10000,100000      Instead of each scenario's own number, one after the other.
  --seconds 5               Of each measurement. --quick takes 2.
  --compare main            Measures this Git commit as well, in alternation, and prints both.
  --rounds 3                Repetitions, of which the median is printed. Default 1; with --compare, 3.
  --profile DIRECTORY       Writes a CPU profile of each server process, for Chrome's developer tools.
  --growth                  Short for --scenarios pings,fleet --processes 1
                            --nodes 1000,3000,10000,30000,100000.
  --write docs/performance.svg   Draws the growth.
  --write docs/performance.md    Replaces the tables in it of what was measured. Both can be given at once.
`;

const { values, positionals } = readOptionsAndNames(HELP, {
  scenarios: TEXT,
  processes: TEXT,
  nodes: TEXT,
  seconds: TEXT,
  quick: FLAG,
  compare: TEXT,
  rounds: TEXT,
  profile: TEXT,
  growth: FLAG,
  write: { ...TEXTS, default: [] },
});
const GROWTH = {
  scenarios: 'pings,fleet',
  processes: '1',
  nodes: '1000,3000,10000,30000,100000',
};
const ALL = {
  scenarios: Object.keys(SCENARIOS)
    .filter((name) => SCENARIOS[name]?.trial === undefined)
    .join(','),
  processes: '1,3',
};
const chosen = {
  ...(values.growth ? GROWTH : ALL),
  ...(positionals.length > 0 && { scenarios: positionals.join(',') }),
  ...values,
};
const numbers = (option: 'processes' | 'nodes') =>
  chosen[option]?.split(',').map((text) => readNumber(option, text, { least: 1 }));
const scenarios = chosen.scenarios.split(',').map((name) => ({
  name,
  ...(SCENARIOS[name] ?? fail(`There is no scenario ${name}.\n\n${HELP}`)),
}));
const seconds = readNumber('seconds', values.seconds ?? (values.quick ? '2' : '5'), {
  least: 1,
  decimals: true,
});
const rounds = readNumber('rounds', values.rounds ?? (values.compare === undefined ? '1' : '3'), {
  least: 1,
});
const profile =
  values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile)}`];

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
const builds = [await currentBuild()];
try {
  if (values.compare !== undefined) builds.unshift(buildOf(values.compare));
} catch (error) {
  fail((error as Error).message);
}
const labels = builds.map(({ label }) => label);
const what = labels.map((label) => `\`${label}\``).join(' and ');
console.log(what);
const { occasion, when } = describeOccasion();

const server = await startPostgres({ fsync: true });
const results: Result[] = [];
try {
  const templates = new Map<Build, Promise<PostgresDatabase>>();
  for (const scenario of scenarios)
    for (const nodes of numbers('nodes') ?? [scenario.nodes])
      for (const processes of numbers('processes') ?? [])
        if (processes === 1 || (scenario.servers === undefined && !scenario.trial)) {
          const result = await measure(scenario, nodes, processes, templates);
          console.log(formatResult(result));
          results.push(result);
        }
} finally {
  await server.stop();
}
saveResults('latest', { ...occasion, builds: labels, seconds, results });
for (const file of values.write)
  if (file.endsWith('.svg')) writeFileSync(file, drawGrowth(results, when));
  else writeTables(file);

/** The scenarios share a table, but a trial has its own: what was not measured stays. */
function writeTables(file: string): void {
  const write = (mark: string, table: string) =>
    replaceMarked(file, mark, `${what}, ${when}:\n\n${table}`);
  const shared = results.filter(({ rows }) => rows === undefined);
  if (shared.length > 0) write('bench', formatSummary(shared));
  for (const result of results)
    if (result.rows !== undefined) write(`bench-${result.scenario}`, formatRows(result));
}

/** Measures each build in every round, in alternation. One that cannot do it, or fails at it, does not stop the others. */
async function measure(
  { name, ...scenario }: (typeof scenarios)[number],
  nodes: number,
  processes: number,
  templates: Map<Build, Promise<PostgresDatabase>>,
): Promise<Result> {
  const { trial } = scenario;
  const result: Result = { scenario: name, nodes, processes, builds: {}, problems: [] };
  if (trial) result.rows = trial.rows;
  for (let round = 0; round < rounds; round++)
    for (const build of builds) {
      let database: PostgresDatabase | undefined;
      const services: Service[] = [];
      try {
        const template = templates.get(build) ?? createTemplate(server.url(), build);
        templates.set(build, template);
        const offers = trial?.offers ?? 0;
        database = await createNodes(server.url(), await template, { nodes, offers });
        const { url: databaseUrl } = database;
        const start = () =>
          startService(build, databaseUrl, { processes, profile, deployed: trial?.environment });
        while (services.length < (scenario.servers ?? 1)) services.push(await start());
        const restart = async () => {
          await services[0]?.end('SIGTERM');
          return (services[0] = await start());
        };
        const [service] = services as [Service];
        const figures = await scenario.run({
          service,
          services,
          build,
          databaseUrl,
          restart,
          nodes,
          seconds,
        });
        (result.builds[build.label] ??= []).push(figures);
      } catch (error) {
        result.problems.push(`${build.label}: ${String(error)}`);
        process.exitCode = 1;
      } finally {
        await Promise.all(services.map((service) => service.end('SIGTERM')));
        await database?.drop();
      }
    }
  return result;
}
