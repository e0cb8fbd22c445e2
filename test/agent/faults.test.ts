import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { writeDurable } from '@mesh-registry/protocol/durable-file.ts';
import { selfSigned, type Certificate } from '../support/certificate.ts';
import {
  answer,
  cutAnswer,
  delay,
  silence,
  startFaultProxy,
  type Fault,
  type FaultProxy,
} from '../support/fault-proxy.ts';
import { rounds } from '../support/rounds.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SLOW } from '../support/slow.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import {
  buildAgent,
  hurry,
  startAgentProcess,
  TIMES_FASTER,
  type AgentProcess,
} from './agent-process.ts';

/** The built agent as a process, and everything that may happen between it and a real service. */

const SECRET = 'the-secret';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const home = temporaryDirectory();
let program: string;
let service: TestServer;
const startService = (clock?: () => number) =>
  startTestServer({
    env: { WEBHOOK_SECRET: SECRET, NODE_KEYS: 'first-use' },
    ...(clock && { clock }),
  });
beforeAll(async () => {
  [program, service] = await Promise.all([buildAgent(join(home.path, 'program')), startService()]);
});
afterAll(async () => {
  await service.stop();
  home.remove();
});

let nodes = 0;

interface World {
  agent: AgentProcess;
  proxy: FaultProxy;
  nodeId: string;
}

/** An agent whose requests pass a proxy of its own. It is on the map. */
async function onTheMap(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  {
    host = '127.0.0.1',
    to = service,
    certificate,
    env = {},
  }: {
    host?: string;
    to?: TestServer;
    certificate?: Certificate;
    env?: Record<string, string>;
  } = {},
): Promise<World> {
  const nodeId = `node_${++nodes}`;
  const proxy = await startFaultProxy(to.url, { edit: hurry, ...(certificate && { certificate }) });
  const agent = startAgentProcess({
    program,
    folder: join(home.path, nodeId),
    url: proxy.url.replace('127.0.0.1', host),
    nodeId,
    secret: SECRET,
    insecureHttp: host !== '127.0.0.1',
    env,
  });
  onTestFinished(async () => {
    await agent.stop();
    proxy.stop();
  });
  await agent.told('on_the_map');
  return { agent, proxy, nodeId };
}

/**
 * It has told this and nothing else, after it was on the map.
 * @param ifAny whether it tells these depends on the moment: not only the clock that jumps
 */
function expectTold({ agent }: World, expected: string[], ifAny: string[] = []): void {
  const ignored = ['started', 'on_the_map', 'clock_jumped', ...ifAny];
  const events = agent.events().filter(({ event }) => !ignored.includes(event));
  expect(
    events.map(({ event }) => event),
    JSON.stringify(events),
  ).toEqual(expected);
}

/** It has told the fault, and `status` tells it too, perhaps of a later attempt. @param says what both contain */
async function failing({ agent }: World, kind: string, says: string): Promise<void> {
  const { message } = await agent.told(`fault_${kind}`);
  expect(message).toContain(says);
  const { exitCode, status } = await agent.status();
  expect(exitCode).toBe(1);
  expect(status.heartbeats?.fault).toMatchObject({ kind, message: expect.stringContaining(says) });
}

/** Heartbeats are accepted again, and `status` says nothing else. */
async function recovers({ agent }: World, times = 1): Promise<void> {
  await agent.told('recovered', times);
  const { exitCode, status } = await agent.status();
  expect(status.heartbeats).toMatchObject({ fresh: true, fault: null });
  expect(exitCode).toBe(0);
  expect(status.agent.pid).toBe(agent.pid);
}

const refusal = (status: number, code: string, headers?: Record<string, string>) =>
  answer(
    status,
    { ok: false, code, error: `What ${code} means.`, requestId: 'r1' },
    { ...headers },
  );

/** 320 MB of JSON that come as 320 KB. */
const BOMB = Buffer.concat(Array<Buffer>(20).fill(gzipSync(Buffer.alloc(16_000_000, ' '))));
const bomb: Fault = (_, response) =>
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    .end(BOMB);

describe.concurrent('on the way', () => {
  it.for<[string, Fault, kind: string, says: string]>([
    ['no answer comes', silence, 'service_away', 'did not answer in time'],
    ['answers are cut', cutAnswer, 'service_away', 'keeps trying'],
    [
      'a proxy has an error page',
      answer(502, '<html><h1>502 Bad Gateway</h1>'),
      'service_away',
      'status 502',
    ],
    [
      'the database is away',
      refusal(503, 'unavailable', { 'retry-after': '1' }),
      'service_away',
      'What unavailable means',
    ],
    [
      'a hotel wants a sign-in',
      answer(200, '<html><h1>Welcome!</h1>'),
      'foreign_answer',
      'Welcome!',
    ],
    ['another service answers', answer(200, { hello: 'world' }), 'foreign_answer', 'service.url'],
    [
      'an answer lacks what it should say',
      answer(200, { ok: true }),
      'foreign_answer',
      'cannot be read',
    ],
    [
      'a redirect goes elsewhere',
      answer(302, '', { location: 'https://elsewhere.example/' }),
      'foreign_answer',
      'elsewhere.example',
    ],
    ['there are too many requests', refusal(429, 'rate_limited'), 'rate_limited', 'limits'],
  ])('%s', async ([, fault, kind, says], context) => {
    const world = await onTheMap(context);
    world.proxy.inject(fault);
    await failing(world, kind, says);
    world.proxy.inject(null);
    await recovers(world);
    expectTold(world, [`fault_${kind}`, 'recovered']);
  });

  it('a bomb takes no memory', async (context) => {
    const world = await onTheMap(context);
    world.proxy.inject(bomb);
    await failing(world, 'foreign_answer', 'longer than 4 MiB');
    world.proxy.inject(null);
    await recovers(world);
    const peak = megabytesOf(world.agent.pid, 'VmHWM');
    if (peak !== null) expect(peak).toBeLessThan(250);
  });

  it('what others write is only shown: nothing that a terminal obeys, no second line', async (context) => {
    const world = await onTheMap(context);
    const error = 'Sorry\x1b[2J\x9b31m\u202e,\r\nrecovered\u{e0041}.';
    world.proxy.inject(answer(400, { ok: false, code: 'invalid_body', error, requestId: 'r1' }));
    await failing(world, 'refused', 'Sorry, recovered.');
    world.proxy.inject(answer(302, '', { location: 'https://elsewhere.example/\x9b2J' }));
    await until('It is redirected', async () => {
      const { status } = await world.agent.status();
      return status.heartbeats?.fault?.message.includes('to https://elsewhere.example/.') ?? false;
    });
  });

  it('the service is gone, and many attempts later it is back', async (context) => {
    const world = await onTheMap(context);
    world.proxy.away();
    await failing(world, 'service_away', 'ECONNREFUSED');
    await until('It tries again and again', async () => {
      await sleep(100);
      return ((await world.agent.status()).status.heartbeats?.failed ?? 0) > 2;
    });
    await world.proxy.back();
    await recovers(world);
    expectTold(world, ['fault_service_away', 'recovered']);
  });

  it('answers are slow, which is no fault', async (context) => {
    const world = await onTheMap(context);
    const before = world.proxy.requests();
    world.proxy.inject(delay(2000 / TIMES_FASTER));
    await until('It sends more', () => world.proxy.requests() > before + 2);
    expectTold(world, []);
  });

  it('the service asks for patience, and gets it', async (context) => {
    const world = await onTheMap(context);
    const at: number[] = [];
    const limit = refusal(429, 'rate_limited', { 'retry-after': '3' });
    world.proxy.inject((request, response, forward) => {
      // It also asks to which key it is pinned, which has a limit of its own.
      if (request.method === 'POST') at.push(performance.now());
      limit(request, response, forward);
    });
    await failing(world, 'rate_limited', 'limits');
    await until('It asks again', () => at.length > 1);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(2900 / TIMES_FASTER);
    world.proxy.inject(null);
    await recovers(world);
    expectTold(world, ['fault_rate_limited', 'recovered']);
  });

  it('the name of the service cannot be resolved', async (context) => {
    const world = await onTheMap(context, { host: 'mesh.test' });
    world.agent.setMachine({ dns: false });
    await failing(world, 'dns', 'mesh.test cannot be resolved');
    world.agent.setMachine({ dns: true });
    await recovers(world);
    expectTold(world, ['fault_dns', 'recovered']);
  });

  it('the certificate of the service expires, and is renewed', async (context) => {
    const [valid, expired] = [
      selfSigned('mesh.test', '2020-01-01', '2120-01-01'),
      selfSigned('mesh.test', '2020-01-01', '2020-03-01'),
    ];
    const authorities = join(home.path, 'authorities.pem');
    writeFileSync(authorities, valid.cert + expired.cert);
    const world = await onTheMap(context, {
      host: 'mesh.test',
      certificate: valid,
      env: { NODE_EXTRA_CA_CERTS: authorities },
    });
    world.proxy.present(expired);
    await failing(world, 'tls_expired', 'has expired');
    world.proxy.present(selfSigned('mesh.test', '2020-01-01', '2120-01-01'));
    await failing(world, 'tls', 'not trusted');
    world.proxy.present(valid);
    await recovers(world);
    expectTold(world, ['fault_tls_expired', 'fault_tls', 'recovered']);
  });
});

describe.concurrent('everything at once', () => {
  // The whole test: TEST_ROUNDS=60 npx vitest run test/agent/faults.test.ts -t 'memory'
  const lastsMs = rounds(4000);
  const turnMs = 500 / TIMES_FASTER;

  it(
    'neither floods the journal nor fills the memory',
    { timeout: lastsMs + 60_000 * SLOW },
    async (context) => {
      const world = await onTheMap(context);
      const { agent, proxy } = world;
      const faults = [
        answer(502, '<h1>502 Bad Gateway</h1>'),
        null,
        cutAnswer,
        refusal(503, 'unavailable', { 'retry-after': '1' }),
        null,
        delay(1500 / TIMES_FASTER),
        answer(200, 'no JSON, and long: '.repeat(50_000)),
        null,
        refusal(429, 'rate_limited', { 'retry-after': '2' }),
      ];
      const memory: (number | null)[] = [];
      const endsAt = performance.now() + lastsMs;
      // On a slow machine its few heartbeats may have met none of the faults by then.
      const faultless = () => !agent.events().some(({ event }) => event.startsWith('fault_'));
      for (let turn = 0; performance.now() < endsAt || faultless(); turn++) {
        proxy.inject(faults[turn % faults.length] ?? null);
        if (turn % 5 === 4) {
          proxy.away();
          await sleep(turnMs);
          await proxy.back();
        }
        // A machine that wakes up sends at once, and forgets that it has waited.
        if (turn % 20 === 19) agent.setMachine({ aheadMs: (turn % 40) * 1000 });
        await sleep(turnMs);
        memory.push(megabytesOf(agent.pid, 'VmRSS'));
      }
      proxy.inject(null);
      await until(
        'It recovers',
        async () => {
          await sleep(100);
          return (await agent.status()).status.heartbeats?.fault === null;
        },
        30_000,
      );
      const { accepted = 0, failed = 0 } = (await agent.status()).status.heartbeats ?? {};
      const counts = { lines: agent.events().length, accepted, failed, memory: sampled(memory) };
      if (lastsMs > 60_000) console.log(JSON.stringify(counts));
      expect(accepted).toBeGreaterThan(0);
      expect(failed).toBeGreaterThan(0);
      // Of an outage: each kind once, and its end.
      expect(counts.lines).toBeLessThan(10 + 4 * (accepted + failed));
      for (const megabytes of memory) if (megabytes !== null) expect(megabytes).toBeLessThan(160);
    },
  );
});

/** Ten of them, the first and the last among them. */
const sampled = (values: (number | null)[]) =>
  values.filter((_, n) => n % Math.ceil(values.length / 10) === 0 || n === values.length - 1);

/** How much of the memory a process has, or had at its peak; null where the system does not say. */
function megabytesOf(pid: number, what: 'VmRSS' | 'VmHWM'): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, kilobytes] = new RegExp(`${what}:\\s+(\\d+)`).exec(status) ?? [];
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024);
  } catch {
    return null;
  }
}

describe.concurrent('at the service', () => {
  it('the secret is changed, and later here too', async (context) => {
    const world = await onTheMap(context);
    // Whole, because the agent may read it at any moment.
    writeDurable(world.agent.secretFile, 'an-old-one');
    await failing(world, 'unauthorized', world.agent.secretFile);
    writeDurable(world.agent.secretFile, SECRET);
    await recovers(world);
    expectTold(world, ['fault_unauthorized', 'recovered']);
  });

  it('reviewers block the node, and unblock it', async (context) => {
    const world = await onTheMap(context);
    const because = { nodeId: world.nodeId, reason: 'Spam.', reviewer: 'ada' };
    await service.services.nodes.block(because);
    await failing(world, 'blocked', 'has blocked this node');
    await service.services.nodes.unblock(because);
    await recovers(world);
    expectTold(world, ['fault_blocked', 'recovered']);
  });

  it('a back-up is restored that does not know the node', async (context) => {
    const world = await onTheMap(context);
    const restored = await startService();
    context.onTestFinished(() => restored.stop());
    world.proxy.redirect(restored.url);
    await world.agent.told('node_forgotten');
    const { status, exitCode } = await world.agent.status();
    expect(exitCode).toBe(0);
    expect(status.heartbeats).toMatchObject({ fresh: true, fault: null });
    expectTold(world, ['node_forgotten']);
  });

  it('another agent has the id: the first keeps it, the second is told why', async (context) => {
    const world = await onTheMap(context);
    const second = startAgentProcess({
      program,
      folder: join(home.path, `${world.nodeId}_again`),
      url: world.proxy.url,
      nodeId: world.nodeId,
      secret: SECRET,
    });
    context.onTestFinished(async () => void (await second.stop()));
    await failing({ ...world, agent: second }, 'signature_required', 'pinned to another key');
    expect((await second.status()).status.heartbeats).toMatchObject({ accepted: 0, fresh: false });
    // Nothing of the second. An answer that comes too late, on a machine under heavy load, is another matter.
    expectTold(world, [], ['fault_service_away', 'recovered']);
    await until(
      'The first is on the map',
      async () => (await world.agent.status()).status.heartbeats?.fresh === true,
    );
  });
});

describe.concurrent('on the machine', () => {
  it('the clock is wrong, and set right', async (context) => {
    const world = await onTheMap(context);
    world.agent.setMachine({ aheadMs: 42 * MINUTE });
    await failing(world, 'clock', '42 minutes ahead of the service');
    world.agent.setMachine({ aheadMs: 0 });
    await recovers(world);
    // A request that was under way meanwhile has the wrong time, though the clock is right.
    expectTold(world, ['fault_clock', 'recovered'], ['fault_signature_invalid']);
  });

  it('a laptop sleeps for a night', async (context) => {
    let aheadMs = 0;
    const night = await startService(() => Date.now() + aheadMs);
    context.onTestFinished(() => night.stop());
    const world = await onTheMap(context, { to: night });
    world.agent.signal('SIGSTOP');
    // The watch has a timer of 5 s: one that ends sooner is a clock that was set back by the rest.
    aheadMs = 8 * HOUR + 5000;
    world.agent.setMachine({ aheadMs });
    world.agent.signal('SIGCONT');
    expect((await world.agent.told('clock_jumped')).message).toContain('8 h ahead');
    await until(
      'It is on the map again',
      async () => (await world.agent.status()).status.heartbeats?.fresh === true,
    );
    expectTold(world, []);
    expect(world.agent.count('clock_jumped')).toBe(1);
  });

  it('what happens cannot be stored, which stops nothing', async (context) => {
    const world = await onTheMap(context);
    const { stateDirectory } = world.agent;
    // Root can write everywhere, but cannot put a file in the place of a folder.
    await until('It has stored', () => existsSync(join(stateDirectory, 'state.json')));
    rmSync(join(stateDirectory, 'state.json'), { force: true });
    mkdirSync(join(stateDirectory, 'state.json', 'in-the-way'), { recursive: true });
    // It stores once a minute.
    world.agent.setMachine({ aheadMs: 2 * MINUTE });
    expect((await world.agent.told('fault_disk')).message).toContain(stateDirectory);
    // Of this test: others run at the same time.
    await context.expect
      .poll(() => world.agent.status())
      .toMatchObject({
        status: { heartbeats: { fresh: true, fault: null }, stateFault: { kind: 'disk' } },
        exitCode: 1,
      });
    rmSync(join(stateDirectory, 'state.json'), { recursive: true });
    await world.agent.told('recovered');
    expect((await world.agent.status()).status.stateFault).toBeNull();
    expectTold(world, ['fault_disk', 'recovered']);
  });
});
