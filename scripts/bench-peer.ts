import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MEASUREMENTS, type Aims } from './bench-peer/measurements.ts';
import { Network } from './bench-peer/network.ts';
import { measureRoundTrips } from './bench-peer/round-trips.ts';
import { buildWorker } from './bench-peer/worker-process.ts';
import {
  describeOccasion,
  formatNumber,
  formatTable,
  isMet,
  replaceMarked,
  saveResults,
  type Figure,
} from './figures.ts';

/** `npm run bench:peer`: what the protocol between nodes takes. docs/performance.md explains the figures. */

/** A network that is measured. */
interface Setup {
  peers: number;
  /** Over which they are spread. Where each peer has one of its own, it has a session with each other one. */
  processes: number;
  aims: Aims;
}

const SETUPS: Setup[] = [
  {
    peers: 20,
    processes: 20,
    aims: {
      knowAll: '< 6',
      idle: '< 3',
      memory: '< 110',
      truth: '< 1000',
      ban: '< 1000',
      replication: '≥ 50',
      genesis: '< 3',
    },
  },
  { peers: 100, processes: 4, aims: { knowAll: '< 45' } },
];
const ROUND_TRIPS = 'round-trips';
const ABOUT = [
  ...MEASUREMENTS,
  { name: ROUND_TRIPS, about: 'how exactly a peer measures a round trip whose time is known' },
];

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    only: { type: 'string' },
    peers: { type: 'string' },
    processes: { type: 'string' },
    node: { type: 'string', multiple: true, default: [process.execPath] },
    profile: { type: 'string' },
    write: { type: 'string' },
  },
});

const HELP = `npm run bench:peer -- [options]

  --only truth,ban     Only these, in a network that meets first:
${ABOUT.map(({ name, about }) => `                         ${name.padEnd(15)}${about}`).join('\n')}
  --peers 50           Instead of the two networks of ${SETUPS.map(({ peers }) => peers).join(' and ')} peers.
  --processes 10       That run them; by default one for each peer.
  --node PATH          The Node that runs the peers. Several take turns: a network of different versions.
  --profile DIRECTORY  Writes a CPU profile of each process, for Chrome's developer tools.
  --write docs/performance.md   Replaces the table in it.
`;

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function count(option: 'peers' | 'processes', least: number): number | undefined {
  const text = values[option];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  return fail(`--${option} takes a whole number from ${least}.`);
}

if (values.help) {
  console.log(HELP);
  process.exit();
}
const chosen = values.only?.split(',');
for (const name of chosen ?? [])
  if (!ABOUT.some((one) => one.name === name)) fail(`There is no measurement ${name}.\n\n${HELP}`);
const isChosen = (name: string) => chosen?.includes(name) ?? true;
const peers = count('peers', 4);
const processes = count('processes', 1);
if (processes !== undefined && (peers === undefined || processes > peers))
  fail('--processes needs --peers, of which there must be as many at least.');
function setupOf(peers: number, processes: number): Setup {
  const known = SETUPS.find((one) => one.peers === peers && one.processes === processes);
  return known ?? { peers, processes, aims: {} };
}
const setups = peers === undefined ? SETUPS : [setupOf(peers, processes ?? peers)];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const directory = mkdtempSync(join(tmpdir(), 'mesh-bench-worker-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const common = {
  program: await buildWorker(directory),
  nodes: values.node,
  nodeArgs:
    values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile)}`],
};

async function measure({ peers, processes, aims }: Setup): Promise<Figure[]> {
  const isOwn = peers === processes;
  const measurements = MEASUREMENTS.filter(
    ({ name, ownProcesses }) => isChosen(name) && (isOwn || !ownProcesses),
  );
  if (measurements.length === 0) return [];
  const network = await Network.start({
    ...common,
    peers,
    processes,
    ...(isOwn && { outbound: peers }),
  });
  try {
    const figures: Figure[] = [];
    if (!isChosen('meeting')) await MEASUREMENTS[0].run(network, aims);
    for (const measurement of measurements) figures.push(...(await measurement.run(network, aims)));
    for (const fault of new Set(network.faults)) console.error(`Not expected: ${fault}`);
    if (network.faults.length > 0) process.exitCode = 1;
    return figures;
  } finally {
    await network.stop();
  }
}

const versions = values.node.map((node) =>
  execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(),
);
const { occasion, machine, when } = describeOccasion(versions.join(' and '));
console.log(machine);

const sections: { about: string; figures: Figure[] }[] = [];
function add(about: string, figures: Figure[]): void {
  if (figures.length === 0) return;
  sections.push({ about, figures });
  console.log(`\n${about}\n${figures.map(lineOf).join('\n')}`);
}

/** Its name, what was measured, the aim with its unit, and whether it is met. */
function cellsOf(measured: Figure): string[] {
  const { name, value, unit, aim } = measured;
  const met = isMet(measured);
  return [
    name,
    value === null ? '–' : `${formatNumber(value)} ${unit}`,
    aim === undefined ? '' : `${aim} ${unit}`,
    met === null ? '' : met ? 'yes' : 'no',
  ];
}

function lineOf(measured: Figure): string {
  const [name = '', value = '', aim = '', met = ''] = cellsOf(measured);
  const wanted = aim ? `  aim ${aim}${met === 'no' ? ', missed' : ''}` : '';
  return `  ${name.padEnd(56)}${value.padStart(12)}${wanted}`;
}

for (const setup of setups)
  add(
    `${setup.peers} peers in ${setup.processes} process${setup.processes > 1 ? 'es' : ''}`,
    await measure(setup),
  );
if (isChosen(ROUND_TRIPS) && (peers === undefined || chosen?.includes(ROUND_TRIPS)))
  add('Through a proxy of known delay', await measureRoundTrips(common));

saveResults('peer', {
  ...occasion,
  sections: sections.map(({ about, figures }) => ({
    about,
    figures: figures.map((measured) => ({ ...measured, met: isMet(measured) })),
  })),
});
if (values.write !== undefined) {
  const table = formatTable([
    ['', 'Measured', 'Target', 'Met'],
    ...sections.flatMap(({ about, figures }) => [
      [`**${about}**`, '', '', ''],
      ...figures.map(cellsOf),
    ]),
  ]);
  replaceMarked(values.write, 'bench-peer', `${when}:\n\n${table}`);
}
