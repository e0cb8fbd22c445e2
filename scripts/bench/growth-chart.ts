import { median } from '../figures.ts';
import { valuesOf, type Result } from './report.ts';

/** Draws how the figures grow with the number of nodes, as an SVG that needs no script, font or style sheet. */

/** One diagram: the figures of a scenario, over the number of nodes. */
interface Panel {
  title: string;
  unit: string;
  scale: 'linear' | 'log';
  scenario: string;
  /** The first is drawn as a line, the second dashed. */
  lines: { figure: string; label: string }[];
  aim?: number;
}

const PANELS: Panel[] = [
  {
    title: 'CPU of a heartbeat',
    unit: 'µs',
    scale: 'linear',
    scenario: 'pings',
    lines: [{ figure: 'pings: CPU each', label: '' }],
    aim: 50,
  },
  {
    title: 'Latency of a heartbeat',
    unit: 'ms',
    scale: 'log',
    scenario: 'fleet',
    lines: [
      { figure: 'ping p99', label: 'p99' },
      { figure: 'ping p50', label: 'p50' },
    ],
    aim: 50,
  },
  {
    title: 'Latency of a compressed read',
    unit: 'ms',
    scale: 'log',
    scenario: 'fleet',
    lines: [
      { figure: 'read p99', label: 'p99' },
      { figure: 'read p50', label: 'p50' },
    ],
    aim: 500,
  },
  {
    title: 'Event-loop delay, p99',
    unit: 'ms',
    scale: 'log',
    scenario: 'fleet',
    lines: [{ figure: 'event-loop delay p99', label: '' }],
    aim: 20,
  },
  {
    title: 'Memory of the process',
    unit: 'MB',
    scale: 'linear',
    scenario: 'fleet',
    lines: [{ figure: 'memory of a process', label: '' }],
    aim: 600,
  },
  {
    title: 'Start until ready',
    unit: 's',
    scale: 'linear',
    scenario: 'fleet',
    lines: [{ figure: 'start', label: '' }],
  },
];

const WIDTH = 960;
const COLUMNS = 3;
const MARGIN = 24;
const HEADER = 64;
const PANEL = { width: (WIDTH - 2 * MARGIN) / COLUMNS, height: 220 };
/** Of a panel, around its diagram. */
const PADDING = { top: 34, right: 40, bottom: 34, left: 48 };
/** Readable on white, whatever the reader's theme: the picture brings its background. */
const COLOURS = { ink: '#1f2933', quiet: '#5b6670', grid: '#e3e7eb', aim: '#b4540a' };
/** Of the builds; the last is the current one. */
const LINES = ['#0b5fb0', '#8793a0'];

type Point = [nodes: number, value: number];

/**
 * @param results of `--growth`: the scenarios `pings` and `fleet` with several numbers of nodes
 * @param machine what it was measured on, and when
 */
export function drawGrowth(results: Result[], machine: string): string {
  const builds = [...new Set(results.flatMap((result) => Object.keys(result.builds)))].reverse();
  const height = HEADER + Math.ceil(PANELS.length / COLUMNS) * PANEL.height + MARGIN;
  const nodes = [...new Set(results.map(({ setup }) => setup.nodes))].sort((a, b) => a - b);
  const legend = builds.map(
    (build, n) =>
      `<tspan fill="${LINES[n] ?? COLOURS.quiet}" font-weight="600">${n > 0 ? ' ' : ''}${escape(build)}</tspan>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="${COLOURS.ink}">
<title>Cost by number of nodes</title>
<desc>${escape(describe(results, builds))}</desc>
<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8" fill="#ffffff" stroke="${COLOURS.grid}"/>
<text x="${MARGIN}" y="32" font-size="18" font-weight="600">One process, ${compact(nodes[0] ?? 0)} to ${compact(nodes.at(-1) ?? 0)} nodes</text>
<text x="${MARGIN}" y="52" fill="${COLOURS.quiet}">${legend.join('')}<tspan>  ·  ${escape(machine)}  ·  dotted orange: the aim</tspan></text>
${PANELS.map((panel, n) => {
  const x = MARGIN + (n % COLUMNS) * PANEL.width;
  const y = HEADER + Math.floor(n / COLUMNS) * PANEL.height;
  return `<g transform="translate(${round(x)} ${y})">${drawPanel(panel, results, builds, nodes)}</g>`;
}).join('\n')}
</svg>
`;
}

function pointsOf(results: Result[], scenario: string, build: string, figure: string): Point[] {
  return results
    .filter((result) => result.scenario === scenario)
    .flatMap(({ setup, builds }): Point[] => {
      const value = median(valuesOf(builds[build]?.rounds ?? [], figure));
      return value === null ? [] : [[setup.nodes, value]];
    })
    .sort(([a], [b]) => a - b);
}

function drawPanel(panel: Panel, results: Result[], builds: string[], nodes: number[]): string {
  const lines = builds.flatMap((build, n) =>
    panel.lines.map(({ figure, label }, second) => ({
      points: pointsOf(results, panel.scenario, build, figure),
      label: n === 0 ? label : '',
      colour: LINES[n] ?? COLOURS.quiet,
      dashed: second > 0,
    })),
  );
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value));
  const ticks = ticksOf(panel.scale, [...values, ...(panel.aim === undefined ? [] : [panel.aim])]);
  const y = scaleOf(panel.scale, ticks, PANEL.height - PADDING.bottom, PADDING.top);
  const x = scaleOf('log', nodes, PADDING.left, PANEL.width - PADDING.right);
  const right = PANEL.width - PADDING.right;
  return [
    `<text x="${PADDING.left}" y="20" font-weight="600">${panel.title}<tspan fill="${COLOURS.quiet}" font-weight="400">, ${panel.unit}</tspan></text>`,
    ...ticks.map(
      (tick) =>
        `<path d="M${PADDING.left} ${y(tick)}H${right}" stroke="${COLOURS.grid}"/><text x="${PADDING.left - 6}" y="${y(tick) + 4}" text-anchor="end" fill="${COLOURS.quiet}">${compact(tick)}</text>`,
    ),
    ...nodes.map(
      (count) =>
        `<text x="${x(count)}" y="${PANEL.height - PADDING.bottom + 18}" text-anchor="middle" fill="${COLOURS.quiet}">${compact(count)}</text>`,
    ),
    panel.aim === undefined
      ? ''
      : `<path d="M${PADDING.left} ${y(panel.aim)}H${right}" stroke="${COLOURS.aim}" stroke-dasharray="2 4"/>`,
    // The current build above the earlier one.
    ...lines.toReversed().map(({ points, label, colour, dashed }) => {
      const place = points.map(([count, value]) => `${x(count)} ${y(value)}`);
      const last = points.at(-1);
      return [
        `<path d="M${place.join('L')}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"${dashed ? ' stroke-dasharray="5 4"' : ''}/>`,
        ...points.map(
          ([count, value]) => `<circle cx="${x(count)}" cy="${y(value)}" r="3" fill="${colour}"/>`,
        ),
        last && label !== ''
          ? `<text x="${x(last[0]) + 8}" y="${y(last[1]) + (dashed ? 9 : -1)}" fill="${colour}">${label}</text>`
          : '',
      ].join('');
    }),
  ].join('');
}

/** Round numbers below, between and above the values. */
function ticksOf(scale: Panel['scale'], values: number[]): number[] {
  const highest = Math.max(...values, 1);
  if (scale === 'log') {
    const from = Math.floor(Math.log10(Math.max(0.1, Math.min(...values))));
    const to = Math.ceil(Math.log10(highest));
    return Array.from({ length: Math.max(1, to - from) + 1 }, (_, n) => 10 ** (from + n));
  }
  const power = 10 ** Math.floor(Math.log10(highest / 4));
  const step = [1, 2, 5, 10].map((n) => n * power).find((size) => highest / size <= 5) ?? power;
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, n) => n * step);
}

/** Maps a domain, given by its ticks, to pixels. */
function scaleOf(scale: Panel['scale'], ticks: number[], from: number, to: number) {
  const place = (value: number) => (scale === 'log' ? Math.log10(Math.max(value, 1e-3)) : value);
  const lowest = place(Math.min(...ticks));
  const highest = place(Math.max(...ticks));
  return (value: number) =>
    round(from + ((place(value) - lowest) / (highest - lowest || 1)) * (to - from));
}

/** For readers who cannot see it. */
function describe(results: Result[], builds: string[]): string {
  const [build = ''] = builds;
  return PANELS.map(({ title, unit, scenario, lines: [first] }) => {
    const points = pointsOf(results, scenario, build, first?.figure ?? '');
    const texts = points.map(([nodes, value]) => `${compact(nodes)} nodes ${compact(value)}`);
    return `${title}, ${unit}: ${texts.join('; ')}.`;
  }).join(' ');
}

const round = (value: number) => Math.round(value * 10) / 10;
const compact = (value: number) =>
  value >= 1000
    ? `${Number((value / 1000).toPrecision(3))}k`
    : String(Number(value.toPrecision(2)));
const escape = (text: string) =>
  text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c] ?? c);
