import { formatNumber, formatTable, median, replaceMarked, type Figure } from '../figures.ts';
import type { Setup } from './scenarios/scenario.ts';

/** What one scenario measured in one setup: of each build, in every round. */
export interface Result {
  scenario: string;
  setup: Setup;
  builds: Record<string, { rounds: Figure[][]; skipped?: string }>;
}

export const describeSetup = ({ database, nodes, processes, servers }: Setup): string =>
  [
    database,
    `${nodes.toLocaleString('en')} nodes`,
    servers > 1 ? `${servers} servers` : `${processes} process${processes > 1 ? 'es' : ''}`,
  ].join(', ');

/** A figure's values in all rounds in which it could be measured. */
export const valuesOf = (rounds: Figure[][], name: string): number[] =>
  rounds
    .flat()
    .flatMap((figure) => (figure.name === name && figure.value !== null ? [figure.value] : []));

/** The median, and the range where there are several rounds. */
export function formatRounds(values: number[], withRange = true): string {
  const middle = median(values);
  if (middle === null) return '–';
  if (values.length === 1 || !withRange) return formatNumber(middle);
  return `${formatNumber(middle)} (${formatNumber(Math.min(...values))}–${formatNumber(Math.max(...values))})`;
}

/** One scenario as lines: a figure each, the builds side by side. */
export function formatResult({ scenario, setup, builds }: Result): string {
  const labels = Object.keys(builds);
  const lines = [`\n${scenario}: ${describeSetup(setup)}`];
  const figures = new Map<string, Figure>();
  for (const label of labels) {
    const { rounds, skipped } = builds[label] ?? { rounds: [] };
    if (skipped !== undefined) lines.push(`  not measured for ${label}: ${skipped}`);
    for (const figure of rounds.flat()) figures.set(figure.name, figure);
  }
  const several = labels.length > 1;
  const wide = labels.some((label) => (builds[label]?.rounds.length ?? 0) > 1) ? 27 : 10;
  if (several && figures.size > 0)
    lines.push(
      `  ${''.padEnd(34)}${labels.map((label) => label.padStart(wide)).join('')}${'change'.padStart(9)}`,
    );
  for (const { name, unit, aim } of figures.values()) {
    const samples = labels.map((label) => valuesOf(builds[label]?.rounds ?? [], name));
    const [before, after] = samples.map(median);
    const change =
      before && after !== undefined && after !== null
        ? `${after >= before ? '+' : '−'}${Math.abs(Math.round((after / before - 1) * 100))} %`
        : '';
    lines.push(
      [
        `  ${name.padEnd(34)}`,
        ...samples.map((values) => formatRounds(values).padStart(wide)),
        several ? change.padStart(9) : '',
        ` ${unit.padEnd(8)}`,
        aim === undefined ? '' : `  aim ${aim}`,
      ]
        .join('')
        .trimEnd(),
    );
  }
  return lines.join('\n');
}

/** The rows of the table in docs/performance.md, in its order. */
const ROWS: { text: string; scenario: string; figure: string }[] = [
  { text: 'Heartbeats acknowledged, per second', scenario: 'pings', figure: 'pings' },
  { text: '… as a share of the bare server', scenario: 'pings', figure: 'pings: ratio' },
  { text: '… by CPU', scenario: 'pings', figure: 'pings: ratio by CPU' },
  { text: '… CPU each, µs', scenario: 'pings', figure: 'pings: CPU each' },
  { text: 'Signed heartbeats, per second', scenario: 'signed', figure: 'signed pings' },
  { text: 'Reads of 1,000 nodes, share of bare', scenario: 'reads', figure: 'plain: ratio' },
  { text: '… compressed', scenario: 'reads', figure: 'br: ratio' },
  { text: '… unchanged (304)', scenario: 'reads', figure: '304: ratio' },
  { text: '100,000 nodes: heartbeat p50, ms', scenario: 'fleet', figure: 'ping p50' },
  { text: '… heartbeat p99, ms', scenario: 'fleet', figure: 'ping p99' },
  { text: '… read p50, ms', scenario: 'fleet', figure: 'read p50' },
  { text: '… read p99, ms', scenario: 'fleet', figure: 'read p99' },
  { text: '… event-loop delay p99, ms', scenario: 'fleet', figure: 'event-loop delay p99' },
  { text: '… memory of a process, MB', scenario: 'fleet', figure: 'memory of a process' },
  { text: '… CPU of the service, cores', scenario: 'fleet', figure: 'CPU of the service' },
  { text: 'Reopened streams: heartbeat p99, ms', scenario: 'reopen', figure: 'ping p99' },
  {
    text: 'Beside `GET /api/mesh`: heartbeat p99, ms',
    scenario: 'typed',
    figure: 'ping p99 beside GET /api/mesh',
  },
  {
    text: 'Beside `mesh.get`: heartbeat p99, ms',
    scenario: 'typed',
    figure: 'ping p99 beside mesh.get',
  },
  { text: '2,000 streams: heartbeat p50, ms', scenario: 'streams', figure: 'ping p50' },
  { text: '… heap of a stream, KB', scenario: 'streams', figure: 'heap of a stream' },
  { text: 'Beside look-ups: heartbeat p99, ms', scenario: 'lookups', figure: 'ping p99' },
  {
    text: 'Shown at another server p50, ms',
    scenario: 'replication',
    figure: 'shown at the other p50',
  },
  { text: '… p99, ms', scenario: 'replication', figure: 'shown at the other p99' },
];

/**
 * Replaces the table between the two comments of a Markdown file.
 * @param about what was measured, on what, and when: one line above the table
 */
export function writeSummary(file: string, results: Result[], about: string): void {
  replaceMarked(file, 'bench', `${about}\n\n${formatSummary(results)}`);
}

function formatSummary(results: Result[]): string {
  const own = results.filter(({ setup }) => setup.database === 'PostgreSQL');
  const processes = [...new Set(own.map(({ setup }) => setup.processes))];
  const builds = [...new Set(own.flatMap((result) => Object.keys(result.builds)))];
  const columns = processes.flatMap((count) => builds.map((build) => ({ count, build })));
  const head = columns.map(({ count, build }) =>
    [
      `${count} process${count > 1 ? 'es' : ''}`,
      ...(builds.length > 1 ? [`\`${build}\``] : []),
    ].join(', '),
  );
  const rows = ROWS.flatMap(({ text, scenario, figure }) => {
    const found = own.filter((result) => result.scenario === scenario);
    if (found.length === 0) return [];
    const cells = columns.map(({ count, build }) => {
      const result = found.find(({ setup }) => setup.processes === count);
      const values = valuesOf(result?.builds[build]?.rounds ?? [], figure);
      return values.length > 0 ? formatRounds(values, false) : '';
    });
    const aims = found
      .flatMap(({ builds }) => Object.values(builds).flatMap(({ rounds }) => rounds.flat()))
      .flatMap(({ name, aim }) => (name === figure && aim !== undefined ? [aim] : []));
    return [[text, ...cells, [...new Set(aims)].join('; ')]];
  });
  return formatTable([['', ...head, 'Aim'], ...rows]);
}
