import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { alignTable, replaceMarked } from './bench/markdown.ts';
import { buildWorker } from './bench-peer/build-worker.ts';
import { MEASUREMENTS } from './bench-peer/measurements/index.ts';
import { Network } from './bench-peer/network.ts';
import { measureRoundTrips } from './bench-peer/round-trips.ts';
import { cellsOf, HEAD, isMet, type Row } from './bench-peer/row.ts';
import { describeSetup, SETUPS, setupOf, type Setup } from './bench-peer/setups.ts';

/** `npm run bench:peer`: what the protocol between nodes takes. docs/performance.md explains the figures. */

const RESULTS = join(import.meta.dirname, '..', 'bench-results');
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
const setups = peers === undefined ? SETUPS : [setupOf(peers, processes ?? peers)];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

interface Section {
  about: string;
  rows: Row[];
}

const directory = mkdtempSync(join(tmpdir(), 'mesh-bench-worker-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const common = {
  program: await buildWorker(directory),
  nodes: values.node,
  nodeArgs:
    values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile)}`],
};

async function measure({ targets, ...setup }: Setup): Promise<Row[]> {
  const isOwn = setup.peers === setup.processes;
  const measurements = MEASUREMENTS.filter(
    ({ name, ownProcesses }) => isChosen(name) && (isOwn || !ownProcesses),
  );
  if (measurements.length === 0) return [];
  const network = await Network.start({ ...common, ...setup });
  try {
    const rows: Row[] = [];
    if (!isChosen('meeting')) await MEASUREMENTS[0]?.run(network, targets);
    for (const measurement of measurements) rows.push(...(await measurement.run(network, targets)));
    for (const fault of new Set(network.faults)) console.error(`Not expected: ${fault}`);
    if (network.faults.length > 0) process.exitCode = 1;
    return rows;
  } finally {
    await network.stop();
  }
}

const about = {
  at: new Date().toISOString(),
  nodes: values.node.map((node) => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()),
  cpus: cpus().length,
  model: cpus()[0]?.model ?? '',
  load: loadavg()[0] ?? 0,
};
const machine = `Node ${about.nodes.join(' and ')}, ${about.cpus} × ${about.model}`;
const busy = about.load > about.cpus / 4;
console.log(machine);
if (busy)
  console.log(
    `The machine has other work (load average ${about.load.toFixed(1)}): everything takes longer than it would.`,
  );

const sections: Section[] = [];
function add(text: string, rows: Row[]): void {
  if (rows.length === 0) return;
  sections.push({ about: text, rows });
  console.log(`\n${text}\n${rows.map(lineOf).join('\n')}`);
}

function lineOf(row: Row): string {
  const [name = '', measured = '', target = '', met = ''] = cellsOf(row);
  const aim = target ? `  aim ${target}${met === 'no' ? ', missed' : ''}` : '';
  return `  ${name.padEnd(56)}${measured.padStart(12)}${aim}`;
}

for (const setup of setups) add(describeSetup(setup), await measure(setup));
if (isChosen(ROUND_TRIPS) && (peers === undefined || chosen?.includes(ROUND_TRIPS)))
  add('Through a proxy of known delay', await measureRoundTrips(common));

mkdirSync(RESULTS, { recursive: true });
writeFileSync(
  join(RESULTS, 'peer.json'),
  JSON.stringify(
    {
      ...about,
      sections: sections.map(({ about: text, rows }) => ({
        about: text,
        rows: rows.map((row) => ({ ...row, met: isMet(row) })),
      })),
    },
    null,
    2,
  ),
);
if (values.write !== undefined) {
  const table = alignTable([
    HEAD,
    ...sections.flatMap(({ about: text, rows }) => [
      [`**${text}**`, '', '', ''],
      ...rows.map(cellsOf),
    ]),
  ]);
  const when = [
    machine,
    about.at.slice(0, 10),
    ...(busy
      ? [`with other work on the machine (load average ${about.load.toFixed(0)} before)`]
      : []),
  ].join(', ');
  replaceMarked(values.write, 'bench-peer', `${when}:\n\n${table}`);
}
