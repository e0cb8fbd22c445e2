import { formatNumber, formatTable, median, type Figure } from '../figures.ts';

/** What one scenario measured in one setup: of each build, in every round. */
export interface Result {
  scenario: string;
  nodes: number;
  processes: number;
  builds: Record<string, Figure[][]>;
  /** Why builds could not be measured. */
  problems: string[];
  /** Of a trial: what its rows are. */
  rows?: string;
}

/** A figure's values in all rounds in which it could be measured. */
export const valuesOf = (rounds: Figure[][] = [], name: string): number[] =>
  rounds
    .flat()
    .filter((figure) => figure.name === name && !Number.isNaN(figure.value))
    .map(({ value }) => value);

/** The median, and the range where there are several rounds. */
function formatRounds(rounds: Figure[][] | undefined, name: string): string {
  const values = valuesOf(rounds, name);
  const middle = formatNumber(median(values));
  if (values.length < 2) return middle;
  return `${middle} (${formatNumber(Math.min(...values))}–${formatNumber(Math.max(...values))})`;
}

const countOf = (processes: number) => `${processes} process${processes > 1 ? 'es' : ''}`;

/** One scenario: a figure in each line, the builds side by side; a trial with its rows and columns. */
export function formatResult(result: Result): string {
  const { scenario, nodes, processes, builds, problems, rows: isTrial } = result;
  if (isTrial !== undefined) return ['', ...problems, formatRows(result)].join('\n');
  const labels = Object.keys(builds);
  const figures = new Map(
    Object.values(builds)
      .flat(2)
      .map((figure) => [figure.name, figure]),
  );
  const rows = [...figures.values()].map(({ name, unit, aim }) => {
    const [before = NaN, after = NaN] = labels.map((label) =>
      median(valuesOf(builds[label], name)),
    );
    const change = Math.round((after / before - 1) * 100);
    return [
      [name, unit].filter(Boolean).join(', '),
      ...labels.map((label) => formatRounds(builds[label], name)),
      ...(labels.length > 1 ? [Number.isFinite(change) ? `${change} %` : ''] : []),
      aim,
    ];
  });
  const what = `${scenario}: ${nodes.toLocaleString('en')} nodes, ${countOf(processes)}`;
  const head = [what, ...labels, ...(labels.length > 1 ? ['Change'] : []), 'Aim'];
  return ['', ...problems, formatTable([head, ...rows])].join('\n');
}

/**
 * A trial: a row for each part of it and build, a column for each figure, which is named `row: column`. Problems, which
 * few rows have, stand below the table.
 */
export function formatRows({ rows = '', builds }: Result): string {
  const labels = Object.keys(builds);
  const nameOf = (part: string, label: string) =>
    labels.length > 1 ? `${part}, \`${label}\`` : part;
  const columns = new Map<string, Figure>();
  const parts = new Set<string>();
  const problems: string[] = [];
  for (const [label, rounds] of Object.entries(builds))
    for (const each of rounds.flat()) {
      const [part = '', column = ''] = each.name.split(/: (.*)/);
      parts.add(part);
      if (each.aim !== 'none') columns.set(column, each);
      else problems.push(`${nameOf(part, label)}: ${column}: ${formatNumber(each.value)}`);
    }
  const cells = (part: string, label: string) =>
    [...columns].map(([column, { unit }]) => {
      const cell = formatRounds(builds[label], `${part}: ${column}`);
      return isShare(unit) && cell !== '–' ? `${cell} ${unit}` : cell;
    });
  const head = [...columns].map(([column, { unit }]) =>
    unit === '' || isShare(unit) ? column : `${column}, ${unit}`,
  );
  const body = [...parts].flatMap((part) =>
    labels.map((label) => [nameOf(part, label), ...cells(part, label)]),
  );
  const aims = [...columns.values()].map(({ aim }) => aim);
  if (aims.some((aim) => aim !== '')) body.push(['Aim', ...aims]);
  const table = formatTable([[rows, ...head], ...body]);
  return problems.length > 0
    ? `${table}\n\n${problems.map((each) => `- ${each}`).join('\n')}`
    : table;
}

/** The unit of a count out of a number of attempts: `of 20`. */
const isShare = (unit: string) => unit.startsWith('of ');

/** The figures in docs/performance.md, in its order. */
const SUMMARY: Record<string, string[]> = {
  pings: ['pings', 'pings: ratio', 'pings: ratio by CPU', 'pings: CPU each'],
  signed: ['signed pings'],
  reads: ['plain: ratio', 'br: ratio', '304: ratio'],
  fleet: [
    'ping p50',
    'ping p99',
    'read p50',
    'read p99',
    'event-loop delay p99',
    'memory of a process',
    'CPU of the service',
  ],
  reopen: ['ping p99'],
  typed: ['ping p99 beside GET /api/mesh', 'ping p99 beside mesh.get'],
  streams: ['ping p50', 'heap of a stream'],
  lookups: ['ping p99'],
  replication: ['shown at the other p50', 'shown at the other p99'],
};

/** The table of docs/performance.md: a column for each number of processes and build. */
export function formatSummary(results: Result[]): string {
  const columns = [...new Set(results.map(({ processes }) => processes))].flatMap((processes) =>
    [...new Set(results.flatMap(({ builds }) => Object.keys(builds)))].map((build) => ({
      processes,
      build,
    })),
  );
  const rows = Object.entries(SUMMARY).flatMap(([scenario, names]) => {
    const found = results.filter((result) => result.scenario === scenario);
    const figures = found.flatMap(({ builds }) => Object.values(builds).flat(2));
    const lines = names.flatMap((name) => {
      const own = figures.filter((figure) => figure.name === name);
      if (!own[0]) return [];
      const cells = columns.map(({ processes, build }) => {
        const result = found.find((result) => result.processes === processes);
        return result ? formatRounds(result.builds[build], name) : '';
      });
      const aims = [...new Set(own.map(({ aim }) => aim))].filter(Boolean).join('; ');
      return [[`${name}, ${own[0].unit}`, ...cells, aims]];
    });
    return lines.length > 0 ? [[`**${scenario}**`, ...columns.map(() => ''), ''], ...lines] : [];
  });
  const head = columns.map(({ processes, build }) => `${countOf(processes)}, \`${build}\``);
  return formatTable([['', ...head, 'Aim'], ...rows]);
}
