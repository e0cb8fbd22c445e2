import { formatNumber } from '../figures.ts';
import { startAttack } from '../load/generator.ts';
import type { Way } from '../load/attacks/held.ts';
import { clientAt, clientsAt } from './clients.ts';
import { BROWSER } from './pages.ts';
import type { Service } from './service.ts';
import type { Victim } from './victim.ts';

/** Who attacks in the scenario `attacks`: from addresses of their own, in processes of their own. */

/** What is attacked, and for how long at most. */
interface Attacked {
  service: Service;
  victim: Victim;
  seconds: number;
}

/** Begins, and resolves with what ends it and says what the attackers got. */
export type Attack = (attacked: Attacked) => Promise<() => Promise<string>>;

const READERS = 32;
const SLOW = 2000;
const STALLED = 200;
const CRAWLERS = 8;
const MEGABYTE = 1e6;

/** Without the line that ends the headers. */
const requestOf = (line: string, headers = '') =>
  `${line} HTTP/1.1\r\nhost: localhost\r\n${headers}`;
/** A line break before a request belongs to none: it only finds out whether the connection is still there. */
const KNOCK = '\r\n';

const SLOW_BODY: Way = {
  begin: requestOf(
    'POST /api/registry/register',
    'content-type: application/json\r\ncontent-length: 4000\r\n\r\n',
  ),
  drip: ' ',
};
const SLOW_WAYS: Way[] = [
  { begin: requestOf('GET /'), drip: 'x-slow: 1\r\n' },
  SLOW_BODY,
  { begin: requestOf('GET /api/mesh', '\r\n'), drip: KNOCK, reads: 1024 },
];
/** Lists and exports. */
export const STALLED_PATHS = [
  '/computes.csv',
  '/nodes.csv',
  '/computes.json',
  '/api/registry/computes',
  '/api/mesh',
];
const STALLED_WAYS = STALLED_PATHS.map((path): Way => ({
  begin: requestOf(`GET ${path}`, '\r\n'),
  drip: KNOCK,
  reads: 0,
}));

const readers: Attack = async ({ service, seconds }) => {
  const end = await startAttack('readers', {
    url: `${service.url}/`,
    method: 'GET',
    headers: BROWSER,
    connections: READERS,
    seconds,
    nodes: 1,
    from: clientAt('7.1'),
  });
  return async () => {
    const { answered, refused } = await end();
    return `${answered} pages read, ${refused} refused`;
  };
};
const holding =
  (connections: number, ways: Way[], network: string): Attack =>
  async ({ service: { url } }) => {
    const end = await startAttack('held', { url, connections, ways, from: clientsAt(network, 20) });
    return async () => {
      const { open, closed } = await end();
      return `${open} connections open, ${closed} closed`;
    };
  };
const crawler: Attack = async ({ service: { url } }) => {
  const options = { url, connections: CRAWLERS, from: clientAt('6.1') };
  const end = await startAttack('crawler', options);
  return async () => {
    const { read, refused, found } = await end();
    return `${read} pages read, ${refused} refused, ${found} addresses found`;
  };
};
const peerFlood: Attack = async ({ victim: { id, address } }) => {
  const end = await startAttack('peerFlood', {
    id,
    address,
    from: clientsAt('5', 11),
    bytesPerSecond: MEGABYTE,
    records: 20_000,
  });
  return async () => {
    const { megabytesPerSecond, sessions, refused } = await end();
    return `${formatNumber(megabytesPerSecond)} MB/s taken, ${sessions} sessions, ${refused} refused`;
  };
};
const slow = holding(SLOW, SLOW_WAYS, '3');
const slowBodies = holding(SLOW, [SLOW_BODY], '3');
const stalled = holding(STALLED, STALLED_WAYS, '4');

export const SITUATIONS: Record<string, Attack[]> = {
  'At rest': [],
  [`${READERS} readers of /`]: [readers],
  [`${SLOW.toLocaleString('en')} slow connections`]: [slow],
  [`${SLOW.toLocaleString('en')} slow bodies`]: [slowBodies],
  [`${STALLED} stalled readers`]: [stalled],
  '1 MB/s at a peer': [peerFlood],
  'A crawler': [crawler],
  // Those that take time to begin come first.
  'All together': [peerFlood, slow, stalled, crawler, readers],
};
