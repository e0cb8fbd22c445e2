import { formatNumber, formatTable, median, type Figure } from '../figures.ts';

/** What one scenario measured in one setup: of each build, in every round. */
export interface Result {
  scenario: string;
  nodes: number;
  processes: number;
  builds: Record<string, Figure[][]>;
  /** Why builds could not be measured. */
  problems: string[];
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

/** One scenario: a figure in each line, the builds side by side. */
export function formatResult({ scenario, nodes, processes, builds, problems }: Result): string {
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
