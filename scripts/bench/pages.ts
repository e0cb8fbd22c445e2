import { figure, type Figure } from '../figures.ts';
import { ask, clientAt } from './clients.ts';
import { accept, registerNames, signIn } from './reviewer.ts';
import { heartbeats, problems, reads, type Scenario, type Target } from './scenario.ts';
import { whileMetered } from './service.ts';

const READERS = 32;
const PINGS_PER_SECOND = 200;
const NAMES = 5;
/** As a browser asks for a page. */
export const BROWSER = {
  accept: 'text/html,application/xhtml+xml',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};
const PAGES = [
  '/',
  // Another address each time.
  '/?q={n}',
  '/computes',
  '/registry',
  '/status',
  '/network',
  '/docs',
  '/search?q=node',
  '/nodes/node_1',
  '/registry/bench-0',
];

export const pages: Scenario = {
  about: `each public page, as often as ${READERS} connections of a client get it, and ${PINGS_PER_SECOND} pings a second`,
  nodes: 1000,
  trial: { offers: 1000, environment: {}, rows: 'Readers of' },
  async run(target) {
    const { service } = target;
    const cookie = await signIn(target);
    for (const registered of await registerNames(service.url, NAMES)) {
      await accept(service.url, cookie, registered);
      // The picture of a new name is drawn now, and not while something is measured.
      await ask(`${service.url}/registry/${registered.name}/card.png`);
    }
    // Compiled and cached first: the rest is measured as after minutes.
    for (const page of PAGES) await readPage(target, page, 1);
    await pingsBeside(target, 'no page');
    const [figures, restCores] = await pingsBeside(target, 'no page');
    for (const page of PAGES) {
      const name = page.replace('{n}', '…');
      const [read, [beside, cores]] = await Promise.all([
        readPage(target, page, target.seconds),
        pingsBeside(target, name),
      ]);
      const cpuMs = (cores - restCores) * target.seconds * 1000;
      figures.push(
        ...beside,
        figure(`${name}: pages`, read.perSecond, '/s'),
        figure(`${name}: 429 or 503`, read.refused / target.seconds, '/s'),
        figure(`${name}: CPU each`, Math.max(0, cpuMs / read.answered), 'ms'),
        figure(`${name}: page p50`, read.p50, 'ms'),
        figure(`${name}: generator busy`, read.busy * 100, '%'),
        ...problems(`${name}: page`, { ...read, bad: read.bad - read.refused }),
      );
    }
    return figures;
  },
};

const readPage = (target: Target, page: string, seconds: number) =>
  reads({ ...target, seconds }, page, {
    connections: READERS,
    headers: BROWSER,
    from: clientAt('7.1'),
    // So many addresses, where they differ.
    nodes: 1_000_000,
  });

/** @returns also how many cores the service takes meanwhile */
async function pingsBeside(
  { service, nodes, seconds }: Target,
  name: string,
): Promise<[Figure[], number]> {
  const load = { connections: 64, seconds, rate: PINGS_PER_SECOND, nodes };
  const [pings, { cores }] = await whileMetered(service, () => heartbeats(service, load));
  return [
    [
      figure(`${name}: ping p50`, pings.p50, 'ms', '< 10'),
      figure(`${name}: ping p99`, pings.p99, 'ms', '< 60'),
      ...problems(`${name}: pings`, pings),
      figure(`${name}: CPU`, cores, 'cores'),
    ],
    cores,
  ];
}
