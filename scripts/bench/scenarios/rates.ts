import { figure, type Figure } from '../../figures.ts';
import { CONNECTIONS, compareWithBaseline, type Request } from './against-baseline.ts';
import { heartbeats, JSON_TYPE, requireRoute, type Scenario } from './scenario.ts';

const PINGS = { method: 'POST', path: '/api/mesh/ping', headers: JSON_TYPE } as const;

export const pings: Scenario = {
  name: 'pings',
  about: 'heartbeats acknowledged, as many as possible',
  setup: { nodes: 1000 },
  embedded: true,
  async run(target, options) {
    const { processes, database, nodes } = target.setup;
    const one = processes === 1;
    // Every node is there before: an embedded database starts empty.
    if (database === 'embedded')
      await heartbeats(target.service, {
        connections: CONNECTIONS,
        seconds: Math.max(2, nodes / 2500),
        nodes,
      });
    return compareWithBaseline(target, options, {
      ...PINGS,
      what: 'pings',
      aims: {
        ...(one && database === 'PostgreSQL' ? { ratio: '≥ 0.40' } : {}),
        cpu: one ? '≤ 50' : '≤ 1.2 × one process',
      },
    });
  },
};

export const signed: Scenario = {
  name: 'signed',
  about: 'signed heartbeats, each by its node’s key, as many as possible',
  setup: { nodes: 1000 },
  async run(target, options) {
    await requireRoute(`${target.service.url}/api/mesh/nodes/node_0/key`);
    const one = target.setup.processes === 1;
    const figures = await compareWithBaseline(target, options, {
      ...PINGS,
      what: 'signed pings',
      signed: true,
      aims: one ? { rate: '≥ 3,000' } : {},
    });
    const unsigned = await compareWithBaseline(target, options, {
      ...PINGS,
      what: 'unsigned pings',
      aims: {},
    });
    const [rate, other] = [figures, unsigned].map(([first]) => first?.value ?? NaN);
    return [
      ...figures,
      ...unsigned.slice(0, 1),
      figure('signed pings: ratio to unsigned', (rate ?? NaN) / (other ?? NaN), 'of unsigned'),
    ];
  },
};

export const reads: Scenario = {
  name: 'reads',
  about: 'the list of nodes: plain, compressed, and unchanged (304)',
  setup: { nodes: 1000 },
  async run(target, options) {
    const read = (request: Pick<Request, 'what' | 'aims'> & Partial<Request>): Promise<Figure[]> =>
      compareWithBaseline(target, options, {
        method: 'GET',
        path: '/api/mesh',
        headers: {},
        ...request,
      });
    // First, as long as all nodes are online: each that goes offline is a change.
    const unchanged = await read({ what: '304', unchanged: true, aims: { ratio: '≥ 0.6' } });
    const plain = await read({ what: 'plain', aims: { ratio: '≥ 0.75' } });
    const br = await read({ what: 'br', headers: { 'accept-encoding': 'br' }, aims: {} });
    return [...unchanged, ...plain, ...br];
  },
};
