import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { generateNodeKey, nodeKeyToPem } from '@mesh-registry/protocol/keys/node-key.ts';
import { parseConfig } from '@mesh-registry/agent/config/load.ts';
import { Agent } from '@mesh-registry/agent/run/agent.ts';
import { createJournal } from '@mesh-registry/agent/run/journal.ts';
import { startHttpServer } from '../support/http-server.ts';
import { until } from '../support/until.ts';
import { ManualClock } from './manual-clock.ts';

/** The running agent against a service that answers whatever a test wants, by a clock that tests move. */

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));

const refusal = (status: number, code: string, headers?: Record<string, string>) =>
  json(status, { ok: false, code, error: `What ${code} means.`, requestId: 'r1' }, headers);

const PEER = {
  id: 'node_a',
  label: 'garage',
  class: 'M',
  region: 'EU',
  status: 'online',
  lat: 37.5,
  lng: -122.5,
};
const accepted = (extra: object = {}) =>
  json(200, {
    ok: true,
    isNew: false,
    message: '',
    peer: PEER,
    dropped: [],
    nextPingMs: 20_000,
    ...extra,
  });

/** Its sleepers: the schedule of heartbeats, and the watch for a machine that sleeps. */
const SLEEPERS = 2;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mesh-agent-'));
  writeFileSync(join(folder, 'identity.key'), nodeKeyToPem(generateNodeKey()), { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const TOML = (url: string) => `
[service]
url = "${url}"
[node]
id = "node_a"
[map]
lat = 37.7
lng = -122.4
`;

async function startAgent({ toml = '', env = {}, sleepers = SLEEPERS, url = '' } = {}) {
  let answer: Answer = accepted();
  let serviceAheadMs = 0;
  const clock = new ManualClock();
  const requests: { path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const stub = await startHttpServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      if (request.method === 'POST') requests.push({ path, headers, body });
      response.setHeader('date', new Date(clock.now() + serviceAheadMs).toUTCString());
      answer(request, response);
    });
  });
  let log = '';
  const journal = createJournal(
    new Writable({
      write(text: Buffer, _, done) {
        log += text.toString();
        done();
      },
    }),
    { json: true, kind: 'plain', colours: false, now: clock.now },
  );
  const state = join(folder, 'state');
  const parse = (text: string) => parseConfig(text, join(folder, 'config.toml'));
  const agent = new Agent({
    config: parse(TOML(url || stub.url) + toml),
    env,
    stateDirectory: state,
    journal,
    clock,
    version: 'test',
    pid: 1,
  });
  const ending = new AbortController();
  const running = agent.run(ending.signal);
  const stop = async () => {
    ending.abort();
    await running;
  };
  onTestFinished(async () => {
    await stop();
    await stub.stop();
  });
  return {
    agent,
    clock,
    requests,
    stop,
    parse,
    state,
    url: stub.url,
    answerWith: (next: Answer) => (answer = next),
    setServiceClock: (aheadMs: number) => (serviceAheadMs = aheadMs),
    pass: (ms: number) => clock.advance(ms, sleepers),
    events: () =>
      log
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { event: string; message: string }),
  };
}

const eventNames = (events: { event: string }[]) => events.map(({ event }) => event);

const MINUTE = 60_000;

describe('heartbeats', () => {
  it('come when the service wants them, signed, with nothing but what is configured', async () => {
    const { pass, requests } = await startAgent({ env: { MESH_AGENT_SECRET: 's3cret' } });
    await pass(10 * MINUTE);
    // Every 20 s, give or take a tenth.
    expect(requests.length).toBeGreaterThan(26);
    expect(requests.length).toBeLessThan(35);
    const [first] = requests;
    expect(first).toMatchObject({
      path: '/api/mesh/ping',
      body: '{"nodeId":"node_a","lat":37.7,"lng":-122.4}',
      headers: { authorization: 'Bearer s3cret' },
    });
    expect(first?.headers['signature-input']).toContain('tag="mesh-node"');
    const signatures = requests.map(({ headers }) => headers['signature']);
    expect(new Set(signatures).size).toBe(requests.length);
  });

  it('are no longer due once it has ended, and what it remembers is stored', async () => {
    const { pass, stop, agent } = await startAgent();
    await pass(1000);
    await stop();
    expect(agent.status().heartbeats?.accepted).toBe(1);
    const again = await startAgent();
    again.answerWith(accepted({ isNew: true }));
    again.agent.wake();
    await again.pass(MINUTE);
    expect(eventNames(again.events())).toContain('node_forgotten');
  });
});

describe('a fault', () => {
  it.each([
    ['the service is away', refusal(503, 'unavailable'), 'service_away'],
    [
      'a proxy answers for it',
      (_: unknown, response: ServerResponse) => response.writeHead(502).end('Bad gateway'),
      'service_away',
    ],
    [
      'the connection is cut',
      (request: IncomingMessage) => request.socket.destroy(),
      'service_away',
    ],
    ['the secret is wrong', refusal(401, 'unauthorized'), 'unauthorized'],
    ['the id is pinned to another key', refusal(401, 'signature_required'), 'signature_required'],
    ['the signature is refused', refusal(401, 'signature_invalid'), 'signature_invalid'],
    ['the node is blocked', refusal(403, 'blocked'), 'blocked'],
    ['there are too many requests', refusal(429, 'rate_limited'), 'rate_limited'],
    ['a value is refused', refusal(400, 'invalid_body'), 'refused'],
    [
      'another service answers',
      (_: unknown, response: ServerResponse) => response.end('<h1>Sign in</h1>'),
      'foreign_answer',
    ],
  ] satisfies [string, Answer, string][])(
    '%s: told once, once when it is over, and status tells it meanwhile',
    async (_, answer, kind) => {
      const { pass, answerWith, agent, events, requests } = await startAgent();
      await pass(MINUTE);
      answerWith(answer);
      await pass(60 * MINUTE);
      expect(agent.status().heartbeats).toMatchObject({ fresh: false, fault: { kind } });
      const failed = requests.length;
      answerWith(accepted());
      await pass(6 * MINUTE);
      expect(requests.length).toBeGreaterThan(failed);
      expect(agent.status().heartbeats).toMatchObject({ fresh: true, fault: null });
      const told = events().filter(({ event }) => event !== 'on_the_map');
      expect(eventNames(told)).toEqual([`fault_${kind}`, 'recovered']);
      expect(told[1]?.message).toMatch(/^Heartbeats are accepted again, after (59|1 h)/);
    },
  );

  it('is tried again within a minute if it may be over by itself, and not more than once a second', async () => {
    const { pass, answerWith, requests } = await startAgent();
    answerWith(refusal(503, 'unavailable'));
    await pass(60 * MINUTE);
    // 1, 2, 4 … 60 s, each half by chance.
    expect(requests.length).toBeGreaterThan(60);
    expect(requests.length).toBeLessThan(140);
  });

  it('that only somebody can mend is tried at most every few minutes', async () => {
    const { pass, answerWith, requests } = await startAgent();
    answerWith(refusal(401, 'unauthorized'));
    await pass(60 * MINUTE);
    expect(requests.length).toBeGreaterThan(10);
    expect(requests.length).toBeLessThan(32);
  });

  it('lasts as long as the service asks, also if that is longer', async () => {
    const { pass, answerWith, requests } = await startAgent();
    answerWith(refusal(429, 'rate_limited', { 'retry-after': '600' }));
    await pass(MINUTE);
    const asked = requests.length;
    await pass(8 * MINUTE);
    expect(requests.length).toBe(asked);
    await pass(5 * MINUTE);
    expect(requests.length).toBe(asked + 1);
  });

  it('that alternates with another is told once for each kind', async () => {
    const { pass, answerWith, events } = await startAgent();
    for (let turn = 0; turn < 5; turn++) {
      answerWith(refusal(503, 'unavailable'));
      await pass(10 * MINUTE);
      answerWith(refusal(429, 'rate_limited'));
      await pass(10 * MINUTE);
    }
    const told = eventNames(events()).filter((event) => event.startsWith('fault_'));
    expect(told).toEqual(['fault_service_away', 'fault_rate_limited']);
  });

  it('of heartbeats and announcements alike is told once', async () => {
    const { pass, answerWith, events } = await startAgent({
      toml: '[[compute]]\nname = "garage"\nreplicas = 4\nfree_slots = 2\n',
      sleepers: 3,
    });
    answerWith(refusal(503, 'unavailable'));
    await pass(30 * MINUTE);
    const told = eventNames(events()).filter((event) => event.startsWith('fault_'));
    expect(told).toEqual(['fault_service_away']);
  });

  it('of the clock is told as such, with the time that it is off', async () => {
    const { pass, answerWith, setServiceClock, agent } = await startAgent();
    setServiceClock(42 * MINUTE);
    answerWith((request, response) =>
      request.method === 'GET'
        ? json(200, { ok: true })(request, response)
        : refusal(401, 'signature_invalid')(request, response),
    );
    await pass(5 * MINUTE);
    const { fault } = agent.status().heartbeats ?? {};
    expect(fault?.kind).toBe('clock');
    expect(fault?.message).toContain("clock is 42 minutes behind the service's");
  });

  it('of the key is mended by its file, without a restart', async () => {
    const { pass, agent, requests } = await startAgent();
    await pass(1000);
    const file = join(folder, 'identity.key');
    writeFileSync(file, 'no key');
    await pass(5 * MINUTE);
    expect(agent.status().heartbeats?.fault).toMatchObject({ kind: 'local' });
    const sent = requests.length;
    writeFileSync(file, nodeKeyToPem(generateNodeKey()));
    await pass(10 * MINUTE);
    expect(requests.length).toBeGreaterThan(sent);
    expect(agent.status().heartbeats?.fault).toBeNull();
    expect(requests.at(-1)?.headers['signature-input']).toContain(agent.status().node.key);
  });

  it('of the disk is told, and stops nothing', async () => {
    const { pass, requests, events, agent, state } = await startAgent();
    await pass(1000);
    rmSync(state, { recursive: true });
    writeFileSync(state, 'a file in its place');
    await pass(10 * MINUTE);
    expect(requests.length).toBeGreaterThan(20);
    expect(agent.status()).toMatchObject({
      heartbeats: { fresh: true, fault: null },
      stateFault: { kind: 'disk' },
    });
    rmSync(state);
    await pass(10 * MINUTE);
    expect(agent.status().stateFault).toBeNull();
    expect(eventNames(events())).toEqual(['on_the_map', 'fault_disk', 'recovered']);
  });
});

describe('the pin of the node', () => {
  it('is told when it is made and when it is lost, as after a back-up was restored', async () => {
    const { pass, answerWith, agent, events } = await startAgent();
    let key: string | null = null;
    answerWith((request, response) =>
      request.method === 'GET'
        ? json(200, { ok: true, nodeId: 'node_a', key, source: null, pinnedAt: null })(
            request,
            response,
          )
        : accepted()(request, response),
    );
    agent.wake();
    await pass(20 * MINUTE);
    await until('the pin is known', () => agent.status().node.pin === 'none');
    key = agent.status().node.key;
    await pass(20 * MINUTE);
    await until('it is pinned', () => agent.status().node.pin === 'this_key');
    key = null;
    await pass(20 * MINUTE);
    await until('it is lost', () => agent.status().node.pin === 'none');
    const told = eventNames(events()).filter((event) => event !== 'on_the_map');
    expect(told).toEqual(['pinned', 'unpinned']);
  });
});

describe('a machine that sleeps', () => {
  it('signs anew what was under way meanwhile, and makes no fault of it', async () => {
    const { pass, answerWith, requests, events, agent } = await startAgent();
    await pass(MINUTE);
    const before = requests.length;
    answerWith((request, response) => {
      answerWith(accepted());
      refusal(401, 'signature_invalid')(request, response);
    });
    await pass(23_000);
    expect(agent.status().heartbeats).toMatchObject({ failed: 0, fault: null });
    expect(eventNames(events())).toEqual(['on_the_map']);
    const [late, again] = requests.slice(before).map(({ headers }) => headers['signature']);
    expect(again).not.toBe(late);
  });

  it('sends within seconds of waking, and says how long it slept', async () => {
    const { pass, clock, events, requests, agent } = await startAgent();
    await pass(5 * MINUTE);
    clock.jump(8 * 60 * MINUTE);
    expect(agent.status().heartbeats?.fresh).toBe(false);
    const before = requests.length;
    await pass(6000);
    expect(requests.length).toBeGreaterThan(before);
    expect(agent.status().heartbeats?.fresh).toBe(true);
    const slept = events().filter(({ event }) => event === 'clock_jumped');
    expect(slept).toHaveLength(1);
    expect(slept[0]?.message).toContain('8 h ahead');
  });

  it('sends also when it had backed off before', async () => {
    const { pass, clock, answerWith, requests, agent } = await startAgent();
    answerWith(refusal(401, 'unauthorized'));
    await pass(30 * MINUTE);
    // When the next attempt comes is left to chance: not so soon that it would be counted below.
    const nextAt = () => Date.parse(agent.status().heartbeats?.nextAttemptAt ?? '');
    while (nextAt() - clock.now() <= 10_000) await pass(10_000);
    clock.jump(8 * 60 * MINUTE);
    const before = requests.length;
    await pass(6000);
    expect(requests.length).toBe(before + 1);
  });
});

describe('offers', () => {
  const OFFERS = `
[[compute]]
name = "fixed"
replicas = 4
free_slots = 2
[[compute]]
name = "broken"
replicas = 1
free_slots = { command = ["false"] }
`;
  const listed = (name: string, reason: string | null) => ({
    name,
    freeSlots: 2,
    listed: reason === null,
    reason,
  });

  it('whose free slots are unknown are left out and told once; changes of their listing are told', async () => {
    const { pass, answerWith, events, requests, agent } = await startAgent({
      toml: OFFERS,
      sleepers: 3,
    });
    let reason: string | null = 'name_not_active';
    answerWith((request, response) =>
      request.url === '/api/mesh/ping'
        ? accepted()(request, response)
        : json(200, {
            ok: true,
            computes: [listed('fixed', reason)],
            availableMs: 300_000,
            nextAnnounceMs: 60_000,
            notice: 'It is private.',
          })(request, response),
    );
    agent.wake();
    await pass(10 * MINUTE);
    reason = null;
    await pass(10 * MINUTE);
    const announced = requests.filter(({ path }) => path === '/api/registry/computes');
    expect(announced.length).toBeGreaterThan(15);
    for (const { body } of announced)
      expect(JSON.parse(body)).toEqual({
        nodeId: 'node_a',
        computes: [{ name: 'fixed', replicas: 4, freeSlots: 2 }],
      });
    const names = eventNames(events());
    expect(names.filter((name) => name === 'free_slots_unknown')).toHaveLength(1);
    expect(names.filter((name) => name.startsWith('offer_'))).toEqual([
      'offer_not_listed',
      'offer_listed',
    ]);
    expect(names.filter((name) => name === 'visibility_left_out')).toHaveLength(1);
    expect(agent.status().announcements).toMatchObject({
      fresh: true,
      offers: [{ name: 'fixed', listed: true }],
    });
  });
});

describe('another configuration', () => {
  it('is used at once: another place, and no heartbeat without [map]', async () => {
    const { pass, agent, parse, requests, url, clock } = await startAgent();
    await pass(1000);
    agent.reload(parse(TOML(url).replace('37.7', '-10')));
    await until('the new place is sent', () =>
      requests.some(({ body }) => body.includes('"lat":-10')),
    );
    await clock.idle(SLEEPERS);
    agent.reload(parse(TOML(url).split('[map]')[0] ?? ''));
    const sent = requests.length;
    await clock.advance(10 * MINUTE, 1);
    expect(requests.length).toBe(sent);
    expect(agent.status().heartbeats).toBeNull();
  });
});
