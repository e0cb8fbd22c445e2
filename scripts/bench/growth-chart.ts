import { median } from '../figures.ts';
import { valuesOf, type Result } from './report.ts';

/** Draws how the figures grow with the number of nodes, as an SVG that needs no script, font or style sheet. */

/** Diagrams over the number of nodes. The first figure is drawn as a line, the second dashed. */
const PANELS: { title: string; unit: string; figures: string[]; aim?: number }[] = [
  { title: 'CPU of a heartbeat', unit: 'µs', figures: ['pings: CPU each'], aim: 50 },
  { title: 'Latency of a heartbeat', unit: 'ms', figures: ['ping p99', 'ping p50'], aim: 50 },
  {
    title: 'Latency of a compressed read',
    unit: 'ms',
    figures: ['read p99', 'read p50'],
    aim: 500,
  },
  { title: 'Event-loop delay, p99', unit: 'ms', figures: ['event-loop delay p99'], aim: 20 },
  { title: 'Memory of the process', unit: 'MB', figures: ['memory of a process'], aim: 600 },
  { title: 'Start until ready', unit: 's', figures: ['start'] },
];

const WIDTH = 960;
const COLUMNS = 3;
const MARGIN = 24;
const HEADER = 64;
const PANEL = { width: (WIDTH - 2 * MARGIN) / COLUMNS, height: 220 };
/** The corners of a panel's diagram. */
const [LEFT, TOP, RIGHT, BOTTOM] = [48, 34, PANEL.width - 40, PANEL.height - 34];
/** Readable on white, whatever the reader's theme: the picture brings its background. */
const COLOURS = { ink: '#1f2933', quiet: '#5b6670', grid: '#e3e7eb', aim: '#b4540a' };
/** Of the builds, the current one first. */
const LINES = ['#0b5fb0', '#8793a0'];

/**
 * @param results of `--growth`: the scenarios `pings` and `fleet` with several numbers of nodes
 * @param occasion on what was measured, and when
 */
export function drawGrowth(results: Result[], occasion: string): string {
  const nodes = [...new Set(results.map((result) => result.nodes))].sort((a, b) => a - b);
  const builds = [...new Set(results.flatMap((result) => Object.keys(result.builds)))].reverse();
  const panels = PANELS.map((panel) => linesOf(panel.figures, results, builds));
  // For readers who cannot see it.
  const texts = PANELS.map(({ title, unit }, n) => {
    const points = panels[n]?.[0]?.points ?? [];
    const each = points.map(([nodes, value]) => `${compact(nodes)} nodes ${compact(value)}`);
    return `${title}, ${unit}: ${each.join('; ')}.`;
  });
  const legend = builds.map(
    (build, n) => `<tspan fill="${LINES[n]}" font-weight="600">${build} </tspan>`,
  );
  const height = HEADER + Math.ceil(PANELS.length / COLUMNS) * PANEL.height + MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="${COLOURS.ink}">
<title>Cost by number of nodes</title>
<desc>${texts.join(' ')}</desc>
<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8" fill="#ffffff" stroke="${COLOURS.grid}"/>
<text x="${MARGIN}" y="32" font-size="18" font-weight="600">One process, ${compact(nodes[0] ?? 0)} to ${compact(nodes.at(-1) ?? 0)} nodes</text>
<text x="${MARGIN}" y="52" fill="${COLOURS.quiet}">${legend.join('')}<tspan>·  ${occasion}  ·  dotted orange: the aim</tspan></text>
${PANELS.map((panel, n) => {
  const x = MARGIN + (n % COLUMNS) * PANEL.width;
  const y = HEADER + Math.floor(n / COLUMNS) * PANEL.height;
  return `<g transform="translate(${x} ${y})">${drawPanel(panel, panels[n] ?? [], nodes)}</g>`;
}).join('\n')}
</svg>
`;
}

interface Line {
  points: [nodes: number, value: number][];
  label: string | undefined;
  colour: string | undefined;
  dashed: boolean;
}

/** The current build's lines come first. */
const linesOf = (figures: string[], results: Result[], builds: string[]): Line[] =>
  builds.flatMap((build, n) =>
    figures.map((figure, second) => ({
      points: results
        .map(({ nodes, builds }): [number, number] => [
          nodes,
          median(valuesOf(builds[build], figure)),
        ])
        .filter(([, value]) => !Number.isNaN(value))
        .sort(([a], [b]) => a - b),
      // Of `ping p99` the last word.
      label: n === 0 && figures.length > 1 ? figure.split(' ').at(-1) : undefined,
      colour: LINES[n],
      dashed: second > 0,
    })),
  );

function drawPanel(
  { title, unit, aim }: (typeof PANELS)[number],
  lines: Line[],
  nodes: number[],
): string {
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value));
  const all = [...values, aim ?? 1];
  const lowest = Math.floor(Math.log10(Math.max(0.1, Math.min(...all))));
  const decades = Math.max(1, Math.ceil(Math.log10(Math.max(...all))) - lowest);
  const ticks = Array.from({ length: decades + 1 }, (_, n) => 10 ** (lowest + n));
  const y = logScale(ticks, BOTTOM, TOP);
  const x = logScale(nodes, LEFT, RIGHT);
  return [
    `<text x="${LEFT}" y="20" font-weight="600">${title}<tspan fill="${COLOURS.quiet}" font-weight="400">, ${unit}</tspan></text>`,
    ...ticks.map(
      (tick) =>
        `<path d="M${LEFT} ${y(tick)}H${RIGHT}" stroke="${COLOURS.grid}"/><text x="${LEFT - 6}" y="${y(tick) + 4}" text-anchor="end" fill="${COLOURS.quiet}">${compact(tick)}</text>`,
    ),
    ...nodes.map(
      (count) =>
        `<text x="${x(count)}" y="${BOTTOM + 18}" text-anchor="middle" fill="${COLOURS.quiet}">${compact(count)}</text>`,
    ),
    aim && `<path d="M${LEFT} ${y(aim)}H${RIGHT}" stroke="${COLOURS.aim}" stroke-dasharray="2 4"/>`,
    // The current build above the earlier one.
    ...lines.toReversed().map(({ points, label, colour, dashed }) => {
      const places = points.map(([count, value]) => [x(count), y(value)] as const);
      const [lastX = 0, lastY = 0] = places.at(-1) ?? [];
      return [
        `<path d="M${places.map((place) => place.join(' ')).join('L')}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"${dashed ? ' stroke-dasharray="5 4"' : ''}/>`,
        ...places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`),
        label &&
          `<text x="${lastX + 8}" y="${lastY + (dashed ? 9 : -1)}" fill="${colour}">${label}</text>`,
      ].join('');
    }),
  ].join('');
}

/** Maps values to pixels: the least of a domain to `from`, the greatest to `to`. */
function logScale(domain: number[], from: number, to: number) {
  const [lowest, highest] = [Math.min(...domain), Math.max(...domain)].map(Math.log10) as [
    number,
    number,
  ];
  return (value: number) => {
    const share = (Math.log10(Math.max(value, 1e-3)) - lowest) / (highest - lowest || 1);
    return Math.round((from + share * (to - from)) * 10) / 10;
  };
}

const compact = (value: number) =>
  value >= 1000
    ? `${Number((value / 1000).toPrecision(3))}k`
    : String(Number(value.toPrecision(2)));
