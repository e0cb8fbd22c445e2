import { figure, type Figure } from '../figures.ts';
import type { LoadOptions } from '../load/generator.ts';
import { heartbeatOf } from '../load/requests.ts';
import { SITUATIONS, STALLED_PATHS, type Attack } from './attackers.ts';
import { ask, clientAt, tryAtRate, type Fared } from './clients.ts';
import { accept, registerNames, signIn, type Registered } from './reviewer.ts';
import { heartbeats, problems, type Scenario, type Target } from './scenario.ts';
import { cpuSeconds, residentMb, type Service } from './service.ts';
import { startVictim, type Victim } from './victim.ts';

/** A node of the fleet sends a heartbeat so often. */
const PING_INTERVAL_SECONDS = 25;
const NEWCOMERS_PER_SECOND = 2;
const DECISIONS_PER_SECOND = 1;
/** The attack goes on for so long before it is measured. */
const LEAD_SECONDS = 3;
const WARM_SECONDS = 3;
/** Fewer than the slow connections. A machine's limit of open files may be higher, and would hide what they do. */
const MAX_CONNECTIONS = 1500;

type Fleet = Pick<LoadOptions, 'connections' | 'rate' | 'nodes'>;

export const attacks: Scenario = {
  about:
    'attackers, each alone and all together: how a newcomer’s heartbeat and a reviewer’s decision get through',
  nodes: 5000,
  trial: {
    offers: 41_000,
    rows: 'Attack',
    environment: { MAX_CONNECTIONS: String(MAX_CONNECTIONS) },
  },
  async run(target) {
    const seconds = target.seconds * 2;
    const perSituation = Math.round(seconds * DECISIONS_PER_SECOND);
    const cookie = await signIn(target);
    const situations = Object.entries(SITUATIONS);
    const waiting = await registerNames(target.service.url, situations.length * perSituation);
    const figures: Figure[] = [];
    for (const [name, attacks] of situations) {
      // Each finds a fresh process, so that none pays for what another one has left.
      const service = await target.restart();
      const victim = await startVictim(target.build);
      try {
        const measured = await withstand(
          { ...target, service, seconds },
          {
            name: `${target.build.label}, ${name}`,
            attacks,
            victim,
            cookie,
            names: waiting.splice(0, perSituation),
          },
        );
        figures.push(...measured.map((each) => ({ ...each, name: `${name}: ${each.name}` })));
      } finally {
        await victim.stop();
      }
    }
    return figures;
  },
};

interface Situation {
  name: string;
  attacks: Attack[];
  victim: Victim;
  cookie: string;
  /** For the reviewer to accept. */
  names: Registered[];
}

/** How others fare during some attacks, and what these cost. */
async function withstand(
  { service, nodes, seconds }: Pick<Target, 'service' | 'nodes' | 'seconds'>,
  { name, attacks, victim, cookie, names }: Situation,
): Promise<Figure[]> {
  const { url } = service;
  const fleet = { connections: 64, rate: nodes / PING_INTERVAL_SECONDS, nodes };
  await warmUp(service, cookie, fleet);
  const before = residentMb(service);
  const ends: (() => Promise<string>)[] = [];
  for (const attack of attacks)
    ends.push(await attack({ service, victim, seconds: seconds + LEAD_SECONDS }));
  await heartbeats(service, { ...fleet, seconds: LEAD_SECONDS });
  await victim.loopP99();

  const [[newcomers, decisions, known], peak, cores] = await whileWatched(service, () =>
    Promise.all([
      tryAtRate({ perSecond: NEWCOMERS_PER_SECOND, seconds }, (n) => join(service, n)),
      tryAtRate({ perSecond: DECISIONS_PER_SECOND, seconds }, (n) =>
        accept(url, cookie, names[n] as Registered),
      ),
      heartbeats(service, { ...fleet, seconds }),
    ]),
  );
  const loopP99 = await victim.loopP99();
  for (const end of ends) console.log(`${name}: ${await end()}`);
  return [
    ...faredFigures('newcomer', newcomers),
    ...faredFigures('decision', decisions),
    figure('known nodes p99', known.p99, 'ms'),
    figure('CPU', cores, 'cores'),
    figure('memory', peak, 'MB'),
    figure('growth', Math.max(0, peak - before), 'MB', '< 50'),
    figure('peer’s loop p99', loopP99, 'ms', '< 50'),
    ...problems('known nodes', known),
  ];
}

const faredFigures = (what: string, { tried, through, p50, max }: Fared): Figure[] => [
  figure(`${what}s`, through, `of ${tried}`),
  figure(`${what} p50`, p50, 'ms'),
  figure(`${what} max`, max, 'ms'),
];

/** What everybody does is compiled, and what is cached is there: it counts as no attacker's. */
async function warmUp(service: Service, cookie: string, fleet: Fleet): Promise<void> {
  const pinging = heartbeats(service, { ...fleet, seconds: WARM_SECONDS });
  for (let n = 0; n < 3; n++)
    for (const path of ['/', '/review/registrations', ...STALLED_PATHS])
      await ask(`${service.url}${path}`, { headers: { cookie } });
  await pinging;
}

/** The first heartbeat of a node, as it is sent by a client that nobody has seen. @throws unless it is accepted */
async function join({ url, nodeHeaders }: Service, n: number): Promise<void> {
  const nodeId = `new_${Date.now().toString(36)}_${n}`;
  const { status } = await ask(`${url}/api/mesh/ping`, {
    method: 'POST',
    headers: nodeHeaders,
    body: JSON.stringify({ ...heartbeatOf(n), nodeId }),
    from: clientAt('9.1'),
  });
  if (status !== 201) throw new Error(`A newcomer was answered with ${status}.`);
}

/** @returns also the most memory that the service has meanwhile, MB, and how many cores it takes */
async function whileWatched<Value>(
  service: Service,
  run: () => Promise<Value>,
): Promise<[Value, number, number]> {
  let peak = residentMb(service);
  const sampling = setInterval(() => (peak = Math.max(peak, residentMb(service))), 500);
  const since = performance.now();
  const before = cpuSeconds(service);
  try {
    const value = await run();
    const cores = (cpuSeconds(service) - before) / ((performance.now() - since) / 1000);
    return [value, peak, cores];
  } finally {
    clearInterval(sampling);
  }
}
