import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { MEASUREMENTS, type Aims, type Measurement } from './bench-peer/measurements.ts';
import { Network } from './bench-peer/network.ts';
import { buildWorker } from './bench-peer/worker-process.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import {
  describeOccasion,
  formatNumber,
  formatTable,
  isMet,
  replaceMarked,
  saveResults,
  type Figure,
} from './figures.ts';
import { fail, readNumber, readOptions, TEXT, TEXTS } from './options.ts';

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
const HELP = `npm run bench:peer -- [options]

  --only truth,ban     Only these, in a network that meets first:
${Object.entries(MEASUREMENTS)
  .map(([name, { about }]) => `                         ${name.padEnd(15)}${about}\n`)
  .join('')}\
  --peers 50           Instead of the two networks of ${SETUPS.map(({ peers }) => peers).join(' and ')} peers.
  --processes 10       That run them; by default one for each peer.
  --node PATH          The Node that runs the peers. Several take turns: a network of different versions.
  --profile DIRECTORY  Writes a CPU profile of each process, for Chrome's developer tools.
  --write docs/performance.md   Replaces the table in it.
`;

const values = readOptions(HELP, {
  only: TEXT,
  peers: TEXT,
  processes: TEXT,
  node: { ...TEXTS, default: [process.execPath] },
  profile: TEXT,
  write: TEXT,
});
const chosen = values.only?.split(',');
for (const name of chosen ?? [])
  if (!(name in MEASUREMENTS)) fail(`There is no measurement ${name}.\n\n${HELP}`);
const isChosen = (name: string) => chosen?.includes(name) ?? true;
const setups = values.peers === undefined ? SETUPS : [setupOf(values.peers, values.processes)];
if (values.processes !== undefined && values.peers === undefined)
  fail('--processes needs --peers.');

function setupOf(peersText: string, processesText = peersText): Setup {
  const peers = readNumber('peers', peersText, { least: 4 });
  const processes = readNumber('processes', processesText, { least: 1, most: peers });
  const known = SETUPS.find((one) => one.peers === peers && one.processes === processes);
  return known ?? { peers, processes, aims: {} };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
const directory = temporaryDirectory();
process.on('exit', directory.remove);
const program = await buildWorker(directory.path);
const nodeArgs =
  values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile)}`];

const versions = values.node.map((node) =>
  execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(),
);
const { occasion, when } = describeOccasion(versions.join(' and '));

const COLUMNS = ['Measured', 'Target', 'Met'];
const sections: { about: string; figures: Figure[] }[] = [];
for (const setup of setups) {
  const figures = await measure(setup);
  if (figures.length === 0) continue;
  const about = `${setup.peers} peers in ${setup.processes} process${setup.processes > 1 ? 'es' : ''}`;
  sections.push({ about, figures });
  console.log(`\n${formatTable([[about, ...COLUMNS], ...figures.map(cellsOf)])}`);
}
saveResults('peer', { ...occasion, sections });
if (values.write !== undefined) {
  const rows = sections.flatMap(({ about, figures }) => [
    [`**${about}**`, '', '', ''],
    ...figures.map(cellsOf),
  ]);
  const table = formatTable([['', ...COLUMNS], ...rows]);
  replaceMarked(values.write, 'bench-peer', `${when}:\n\n${table}`);
}

async function measure({ peers, processes, aims }: Setup): Promise<Figure[]> {
  const isOwn = peers === processes;
  const measurements = Object.entries<Measurement>(MEASUREMENTS)
    .filter(([name, { ownProcesses }]) => isChosen(name) && (isOwn || !ownProcesses))
    .map(([, measurement]) => measurement);
  if (measurements.length === 0) return [];
  const network = new Network({
    program,
    nodes: values.node,
    nodeArgs,
    peers,
    processes,
    ...(isOwn && { outbound: peers }),
  });
  try {
    await network.start();
    const figures: Figure[] = [];
    if (!isChosen('meeting')) await MEASUREMENTS.meeting.run(network, aims);
    for (const measurement of measurements) figures.push(...(await measurement.run(network, aims)));
    for (const fault of new Set(network.faults)) console.error(`Not expected: ${fault}`);
    if (network.faults.length > 0) process.exitCode = 1;
    return figures;
  } finally {
    await network.stop();
  }
}

function cellsOf(measured: Figure): string[] {
  const { name, value, unit, aim } = measured;
  const met = isMet(measured);
  return [
    name,
    `${formatNumber(value)} ${unit}`,
    aim && `${aim} ${unit}`,
    met === null ? '' : met ? 'yes' : 'no',
  ];
}
