// The house: its rooms in one order, and who may import whom. ESLint's rule `house/down`, the picture in
// docs/design.md and the test of the import graph all read this list.
//
//   node scripts/house.mjs       the picture, and the graph's figures
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');

/**
 * Zones and their rooms, lowest first: each folder or file, and what it is. A room imports rooms of its zone that
 * stand before it. `uses` names the other zones that the zone's files may import.
 */
export const HOUSE = [
  {
    zone: 'packages/protocol',
    what: 'what the service, nodes and peers have in common',
    uses: [],
    rooms: [
      ['values.schema.ts', 'every closed list of words'],
      ['text.schema.ts', 'a text with a maximum'],
      ['ip-network.ts', 'what counts as one client'],
      ['durable-file.ts', 'files that a power cut leaves whole'],
      ['keys', 'keys of nodes, signatures, proofs'],
      ['rest', 'what the REST interface takes and sends'],
      ['truth', "the network's signed root and truth"],
      ['log', 'signed blocks on disk'],
    ],
  },
  {
    zone: 'packages/client',
    what: 'the typed client of the REST interface',
    uses: [],
    rooms: [['', 'fetch and event streams']],
  },
  {
    zone: 'packages/peer',
    what: 'the protocol between peers, on libp2p',
    uses: ['packages/protocol'],
    rooms: [
      ['base', 'errors, timers, limits'],
      ['addresses', 'who can be dialled, and groups of addresses'],
      ['records', 'signed records of peers'],
      ['guard', 'rates, bans, blame'],
      ['session', 'one connection and its messages'],
      ['book', 'peers that are known'],
      ['context.ts', 'what the parts of a peer share'],
      ['meeting', 'dialling and being dialled'],
      ['sync', 'truth and blocks, from peer to peer'],
      ['control.ts', 'the messages of an open session'],
      ['peer.ts', 'a peer, and what it is given'],
    ],
  },
  {
    zone: 'packages/agent',
    what: "the operator's program",
    uses: ['packages/protocol', 'packages/client', 'packages/peer'],
    rooms: [
      ['base', 'exit codes, errors'],
      ['config', 'its configuration file'],
      ['terminal', 'what it reads and prints'],
      ['identity', "the node's key on disk"],
      ['registration', 'names that the node registers'],
      ['detect', 'what the machine is'],
      ['run', 'heartbeats and announcements'],
      ['truth', 'drafting and signing the truth'],
      ['peer', 'the peer process'],
      ['log', 'the public log'],
      ['doctor', 'what keeps a node from working'],
      ['init', 'questions of the first configuration'],
      ['service', 'units for systemd and containers'],
      ['cli', 'its commands'],
      ['main.ts', 'the process'],
    ],
  },
  {
    zone: 'db',
    what: 'the database',
    uses: ['packages/protocol'],
    rooms: [
      ['schema', 'tables, a file for each domain'],
      [
        'connection',
        'connections, their errors and time-outs; the lock and modes of a data directory',
      ],
      ['embedded', 'the PostgreSQL that the service runs itself'],
      ['', 'the database that is configured, and its migrations'],
      ['backup', 'backup and restore'],
    ],
  },
  {
    zone: 'server',
    what: 'the service',
    uses: ['packages/protocol', 'db'],
    doors: true,
    rooms: [
      ['config.ts', 'the environment, parsed once'],
      ['log.ts', 'the log'],
      ['common', 'errors, input, retries, deadlines, threads, signals'],
      ['drawing', 'PNG and small maps, each by a thread'],
      ['live', 'rows in memory, group commit, answers made once'],
      ['context.ts', 'what every service function gets'],
      ['audit', 'what reviewers did'],
      ['outbox', 'messages to receivers'],
      ['network', "the network's signed root and truth, and the registry's log"],
      ['accounts', 'reviewers, sign-in, invitations'],
      ['names', 'who holds a name, and what is free'],
      ['identity', 'keys of nodes: signatures, pins, proofs'],
      ['mesh', 'heartbeats, nodes on the map, Genesis'],
      ['computes', 'announcements and the directory'],
      ['registry', 'names as everybody sees them'],
      ['uptime', 'quarter-hours, totals over time, outages'],
      ['nodes', 'one node with all that belongs to it'],
      ['registration', 'from start to confirm, and the states'],
      ['payments', 'imports and matches'],
      ['review', 'queue and decisions'],
      ['search', 'across nodes, names and offers'],
      ['status', 'health and the last 24 hours'],
      ['http', 'a kit for HTTP that knows no domain'],
      ['services.ts', 'all rooms, created once'],
      ['entry', 'every way in: REST, pages, tRPC, files'],
      ['startup-error.ts', 'why the service does not start'],
      ['server.ts', 'configuration, database, services, HTTP'],
      ['workers.ts', 'several processes on one port'],
      ['cli', 'npm run reviewer, backup, restore, registry-log'],
      ['main.ts', 'the process'],
    ],
  },
  {
    zone: 'app',
    what: 'the pages (Remix)',
    uses: ['packages/protocol', 'db', 'server'],
    rooms: [
      ['styles', 'tokens and base styles'],
      ['lib', 'helpers without a domain and without markup'],
      ['ui', 'components without a domain'],
      ['features/live', 'lists that follow an event stream'],
      ['features/uptime', 'uptime strips'],
      ['features/feeds', 'Atom feeds'],
      ['features/computes', 'the compute directory'],
      ['features/mesh', 'the map, node list, node page'],
      ['features/registry', 'names and badges'],
      ['features/docs', 'the API reference and guides'],
      ['features/registration', 'the wizard, the page of one registration'],
      ['features/review', 'the dashboard'],
      ['features/trends', 'how the network grew'],
      ['features/status', 'the status page'],
      ['features/network', "the network's page"],
      ['features/search', 'the page of a search'],
      ['root.tsx', 'the document around every page'],
      ['entry.client.tsx', 'the start in the browser'],
      ['entry.server.tsx', 'rendering on the server'],
      ['routes', 'a file for each URL'],
    ],
  },
];

/** Of these zones, pages import types and `*.schema.ts` only. */
const SERVICE = ['db', 'server'];

const places = HOUSE.flatMap(({ zone, rooms, ...rest }, zoneAt) =>
  rooms.map(([name, what], at) => ({
    ...rest,
    zone,
    zoneAt,
    at,
    name,
    what,
    path: name === '' ? zone : `${zone}/${name}`,
  })),
).sort((a, b) => b.path.length - a.path.length);

/** The room of a file, whose path starts at the root, or undefined outside the house. */
export const roomOf = (file) =>
  places.find(({ path }) => file === path || file.startsWith(`${path}/`));

/** The path of the file that an import means, from the root, or null for a package of somebody else's. */
export function fileOf(from, specifier) {
  const path = specifier.replace(/\?.*/, '');
  if (/^\.\.?\//.test(path)) return posix.join(posix.dirname(from), path);
  if (path.startsWith('#')) return path.slice(1);
  return path.startsWith('@mesh-registry/') ? path.replace('@mesh-registry', 'packages') : null;
}

const isSchema = (file) => file.endsWith('.schema.ts');

/**
 * Why a file must not import another one, as a sentence that says what to do instead; null if it may.
 * @param {string} from path from the root
 * @param {string} to path from the root
 * @param {boolean} typesOnly
 */
export function whyNot(from, to, typesOnly) {
  const here = roomOf(from);
  const there = roomOf(to);
  if (here === undefined) return null;
  if (there === undefined)
    return /\.tsx?$/.test(to)
      ? `${to} is in no room: give it one in scripts/house.mjs, where the order of who imports whom wants it.`
      : null;
  if (here === there) return null;
  if (here.zone !== there.zone && !here.uses.includes(there.zone))
    return `${here.zone} knows nothing of ${there.zone}. What both need belongs in packages/protocol.`;
  if (here.zone === there.zone && here.at < there.at)
    return `\`${here.name}\` stands below \`${there.name}\`. What ${here.name} must hear of ${there.name} is a signal (docs/design.md, Signals); what needs both belongs above both.`;
  if (here.zone === 'app' && SERVICE.includes(there.zone) && !typesOnly && !isSchema(to))
    return 'The pages are a module graph of their own: a value of the service would exist twice. Take it from the request context; only types and *.schema.ts may be imported.';
  const door = `${there.path}/index.ts`;
  if (there.doors && to !== door && !isSchema(to) && existsSync(join(root, door)))
    return `Import another room through its door, ${door}.`;
  return null;
}

/**
 * Why a file must not import somebody else's package: those in packages/ may only import what they name, but Node also
 * finds what the root names.
 * @param {string} from path from the root
 * @param {string} specifier of a package
 */
export function whyNotPackage(from, specifier) {
  const [folder] = /^packages\/\w+/.exec(from) ?? [];
  if (folder === undefined || specifier.startsWith('node:')) return null;
  const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
  return namedBy(folder).has(name) ? null : `Name ${name} in ${folder}/package.json.`;
}

/** @param {string} folder of a package */
function namedBy(folder) {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));
}

/** The rule for ESLint: every import, export and `import()` of a file of the house. */
export const houseRule = {
  meta: { type: 'problem', schema: [], messages: { no: '{{why}}' } },
  create(context) {
    const from = posix.relative(root, context.filename);
    const check = (node, source, typesOnly) => {
      if (typeof source?.value !== 'string') return;
      const to = fileOf(from, source.value);
      const why = to === null ? whyNotPackage(from, source.value) : whyNot(from, to, typesOnly);
      if (why !== null) context.report({ node, messageId: 'no', data: { why } });
    };
    const isType = (node) =>
      node.importKind === 'type' ||
      node.exportKind === 'type' ||
      (node.specifiers?.length > 0 &&
        node.specifiers.every((part) => part.importKind === 'type' || part.exportKind === 'type'));
    const declaration = (node) => check(node, node.source, isType(node));
    return {
      ImportDeclaration: declaration,
      ExportNamedDeclaration: declaration,
      ExportAllDeclaration: declaration,
      ImportExpression: (node) => check(node, node.source, false),
      TSImportType: (node) => check(node, node.source ?? node.argument?.literal, true),
    };
  },
};

/**
 * The imports between the house's files, types included and tests left out: path → paths, from the root.
 * @returns {Map<string, string[]>}
 */
export function importGraph() {
  const listed = execFileSync(
    'git',
    ['ls-files', '--', ...new Set(HOUSE.map(({ zone }) => zone))],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const files = listed
    .split('\n')
    .filter((file) => /(?<!\.test|\.d)\.tsx?$/.test(file) && existsSync(join(root, file)));
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), 'utf8'));
      const paths = importedFiles.map(({ fileName }) => fileOf(file, fileName));
      return [file, [...new Set(paths)].filter((path) => known.has(path))];
    }),
  );
}

/**
 * The files of one shortest circle of imports, or null.
 * @param {Map<string, string[]>} graph
 */
export function shortestCircle(graph) {
  let shortest = null;
  for (const start of graph.keys()) {
    const cameFrom = new Map([[start, null]]);
    for (const file of cameFrom.keys())
      for (const next of graph.get(file) ?? []) {
        if (next === start) {
          const circle = [];
          for (let at = file; at !== null; at = cameFrom.get(at)) circle.unshift(at);
          if (shortest === null || circle.length < shortest.length) shortest = circle;
        } else if (!cameFrom.has(next)) cameFrom.set(next, file);
      }
  }
  return shortest;
}

/**
 * Pairs of rooms that import each other, as `one ↔ other`.
 * @param {Map<string, string[]>} graph
 */
export function mutualPairs(graph) {
  const edges = new Set();
  for (const [file, imports] of graph)
    for (const to of imports) edges.add(`${roomOf(file)?.path} ↔ ${roomOf(to)?.path}`);
  return [...edges].filter((edge) => {
    const [one, other] = edge.split(' ↔ ');
    return one < other && edges.has(`${other} ↔ ${one}`);
  });
}

/** The picture for docs/design.md: the highest room first. */
export function picture() {
  const lines = [];
  for (const { zone, what, rooms } of HOUSE.toReversed()) {
    lines.push(`${zone}/`.padEnd(26) + what);
    for (const [name, room] of rooms.toReversed())
      if (name !== '') lines.push(`  ${name}${name.includes('.') ? '' : '/'}`.padEnd(26) + room);
    lines.push('');
  }
  return lines.join('\n').trimEnd();
}

if (process.argv[1] === import.meta.filename) {
  const graph = importGraph();
  const lines = (file) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
  console.log(picture());
  console.log(`
${graph.size} files of code, ${[...graph.keys()].filter((file) => lines(file) <= 25).length} of them with at most 25 lines
${mutualPairs(graph).length} pairs of rooms that import each other
shortest circle of files: ${shortestCircle(graph)?.join(' → ') ?? 'none'}`);
}
