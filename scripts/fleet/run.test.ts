import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { startHttpServer, type HttpServer } from '../../test/support/http-server.ts';
import { freePort } from '../../test/support/port.ts';
import { nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { contentDigest } from '@mesh-registry/protocol/keys/node-signature.ts';
import { planFleet, simulatedKey } from './plan.ts';
import { formatProgress, formatSummary, type FleetProgress } from './progress.ts';
import { seededRandom } from './random.ts';
import { FleetUnauthorized, runFleet, type FleetOptions } from './run.ts';

interface Received {
  at: number;
  path: string;
  authorization: string | undefined;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown> & { nodeId: string };
}

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: object;
  delayMs?: number;
}

/** A stand-in for the service: records requests and answers as the test says. */
async function startServer(answer: (request: Received) => Reply = () => ({}), port = 0) {
  const received: Received[] = [];
  let connections = 0;
  const handle = async (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const request: Received = {
      at: performance.now(),
      path: req.url ?? '',
      authorization: req.headers.authorization,
      headers: req.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()) as Received['body'],
    };
    received.push(request);
    const { status = 200, headers = {}, body = { ok: true }, delayMs } = answer(request);
    if (delayMs) await sleep(delayMs);
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(JSON.stringify(body));
  };
  const http = await startHttpServer((req, res) => {
    // Some tests end the fleet in the middle of a request.
    handle(req, res).catch(() => res.destroy());
  }, port);
  http.server.on('connection', () => connections++);
  open.push(http);
  return {
    received,
    pings: () => received.filter(({ path }) => path === '/api/mesh/ping'),
    announces: () => received.filter(({ path }) => path === '/api/registry/computes'),
    connections: () => connections,
    url: http.url,
  };
}

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ stop }) => stop()));
});

const small = planFleet({ nodes: 200, computes: 30, seed: 5 });
const hosts = small.nodes.filter(({ computes }) => computes.length > 0);

/** Aborts after this many milliseconds, or as soon as the condition holds (50 s at most). */
function end(when: number | (() => boolean)): AbortSignal {
  if (typeof when === 'number') return AbortSignal.timeout(when);
  const controller = new AbortController();
  const limit = performance.now() + 50_000;
  const timer = setInterval(() => {
    if (!when() && performance.now() < limit) return;
    clearInterval(timer);
    controller.abort();
  }, 10);
  return controller.signal;
}

/** Runs a fleet whose interval is short enough for a test to see several heartbeats. */
function run(until: number | (() => boolean), options: Partial<FleetOptions> & { url: string }) {
  return runFleet({
    plan: small,
    intervalMs: 200,
    random: seededRandom(1, 'lifecycle'),
    signal: end(until),
    ...options,
  });
}

/**
 * Whether the server has received this many requests of each node. After the second one, the fleet has counted
 * the answer to the first.
 */
const receivedFromEach = (times: number, nodes: typeof small.nodes, received: Received[]) => {
  const counts = new Map<string, number>();
  for (const { body } of received) counts.set(body.nodeId, (counts.get(body.nodeId) ?? 0) + 1);
  return nodes.every(({ nodeId }) => (counts.get(nodeId) ?? 0) >= times);
};

describe('runFleet', () => {
  it('sends heartbeats of every node, spread over the interval', async () => {
    const server = await startServer();
    const twice = () => receivedFromEach(2, small.nodes, server.pings());
    // Long enough for heartbeats to stay spread out on a machine that pauses for a moment.
    const intervalMs = 2000;
    const last = await run(() => server.pings().length > 400 && twice(), {
      url: server.url,
      intervalMs,
    });
    expect(last.nodes).toMatchObject({ total: 200, joining: 0 });
    expect(last.nodes.alive + last.nodes.offline).toBe(200);
    expect(last.pings).toBeGreaterThan(300);
    expect(last.errors).toEqual({});
    const firstPings = new Map<string, number>();
    for (const { body, at } of server.pings().reverse()) firstPings.set(body.nodeId, at);
    const joins = [...firstPings.values()];
    expect(Math.max(...joins) - Math.min(...joins)).toBeGreaterThan(100);
  });

  it('sends only the fields of a heartbeat', async () => {
    const server = await startServer();
    await run(() => server.pings().length > 300, { url: server.url });
    for (const { body } of server.pings()) {
      const keys = ['class', 'label', 'lat', 'lng', 'nodeId', 'region', 'status'];
      expect(Object.keys(body).sort()).toEqual(keys);
      expect(['online', 'syncing', 'idle', 'offline']).toContain(body['status']);
    }
  });

  it('announces the computes of every host, with free slots within bounds', async () => {
    const server = await startServer();
    await run(() => receivedFromEach(3, hosts, server.announces()), { url: server.url });
    const announced = new Set(server.announces().map(({ body }) => body.nodeId));
    expect(announced).toEqual(new Set(hosts.map(({ nodeId }) => nodeId)));
    for (const { body } of server.announces()) {
      expect(Object.keys(body).sort()).toEqual(['computes', 'label', 'nodeId']);
      const plan = hosts.find(({ nodeId }) => nodeId === body.nodeId);
      const rows = body['computes'] as Record<string, unknown>[];
      expect(rows).toHaveLength(plan?.computes.length ?? 0);
      rows.forEach(({ freeSlots, ...row }, i) => {
        const { maxSlots, ...planned } = plan?.computes[i] ?? { maxSlots: 0 };
        expect(row).toEqual(planned);
        expect(Number.isInteger(freeSlots)).toBe(true);
        expect(freeSlots).toBeGreaterThanOrEqual(0);
        expect(freeSlots).toBeLessThanOrEqual(maxSlots);
      });
    }
  });

  it('sends the secret as a bearer token, and no header without one', async () => {
    const sent = async (secret?: string) => {
      const server = await startServer();
      await run(() => server.announces().length > 0, { url: server.url, secret });
      return new Set(server.received.map(({ authorization }) => authorization));
    };
    expect(await sent('s3cret')).toEqual(new Set(['Bearer s3cret']));
    expect(await sent()).toEqual(new Set([undefined]));
  });

  it('signs as each node with a key of its own, if asked to', async () => {
    const server = await startServer();
    // Each signature, and each key, takes time.
    const plan = planFleet({ nodes: 20, computes: 6, seed: 5 });
    const some = plan.nodes.filter(({ computes }) => computes.length > 0);
    await run(() => receivedFromEach(2, some, server.announces()), {
      url: server.url,
      plan,
      keyOf: (nodeId) => simulatedKey(5, nodeId),
    });
    const signatures = new Set<string>();
    for (const { body, headers } of server.received) {
      const key = nodeKeyText(simulatedKey(5, body.nodeId));
      expect(headers['signature-input']).toContain(`keyid="${key}"`);
      expect(headers['content-digest']).toBe(contentDigest(JSON.stringify(body)));
      signatures.add(String(headers['signature']));
    }
    expect(signatures.size).toBe(server.received.length);
    const unsigned = await startServer();
    await run(() => unsigned.pings().length > 0, { url: unsigned.url });
    expect(unsigned.received[0]?.headers['signature-input']).toBeUndefined();
  });

  it('goes on if the signature of a node is refused', async () => {
    const plan = planFleet({ nodes: 10, computes: 0, seed: 5 });
    const [pinned] = plan.nodes;
    const server = await startServer(({ body }) =>
      body.nodeId === pinned?.nodeId
        ? {
            status: 401,
            body: { ok: false, code: 'signature_required', error: 'Pinned.', requestId: 'r' },
          }
        : {},
    );
    const twice = () => receivedFromEach(2, plan.nodes, server.pings());
    const last = await run(twice, { url: server.url, plan });
    expect(last.nodes.joining).toBe(1);
    expect(Object.keys(last.errors)).toEqual(['401 signature_required']);
  });

  it('stops with an error about WEBHOOK_SECRET when the service answers 401', async () => {
    const server = await startServer(() => ({ status: 401, body: { ok: false } }));
    const error = await run(50_000, { url: server.url }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(FleetUnauthorized);
    expect((error as Error).message).toContain('WEBHOOK_SECRET');
  });

  it.each([429, 503])('waits for the Retry-After of a %i', async (status) => {
    const refused = new Map<string, number>();
    const waited = new Map<string, number>();
    const server = await startServer(({ body, at }) => {
      const since = refused.get(body.nodeId);
      if (since === undefined) {
        refused.set(body.nodeId, at);
        return {
          status,
          headers: { 'retry-after': '1' },
          body: { ok: false, code: 'wait', error: 'Wait.' },
        };
      }
      if (!waited.has(body.nodeId)) waited.set(body.nodeId, at - since);
      return {};
    });
    const last = await run(() => small.nodes.every(({ nodeId }) => waited.has(nodeId)), {
      url: server.url,
    });
    expect([...waited.keys()]).toEqual(
      expect.arrayContaining(small.nodes.map(({ nodeId }) => nodeId)),
    );
    // Timers round to whole milliseconds.
    expect(Math.min(...waited.values())).toBeGreaterThan(990);
    // A replacement node may have been refused without having read the answer yet.
    expect(last.errors[`${status} wait`]).toBeGreaterThanOrEqual(waited.size);
    expect(last.errors[`${status} wait`]).toBeLessThanOrEqual(refused.size);
  });

  it('respects nextPingMs and nextAnnounceMs where they are longer', async () => {
    const previous = new Map<string, number>();
    const waits: number[] = [];
    const server = await startServer(({ path, body, at }) => {
      const before = previous.get(path + body.nodeId);
      if (before !== undefined) waits.push(at - before);
      previous.set(path + body.nodeId, at);
      return { body: { ok: true, nextPingMs: 600, nextAnnounceMs: 60_000 } };
    });
    const last = await run(
      () => waits.length >= 200 && receivedFromEach(1, hosts, server.announces()),
      {
        url: server.url,
      },
    );
    expect(Math.min(...waits)).toBeGreaterThan(590);
    expect(server.announces()).toHaveLength(hosts.length);
    expect(last.slowedToMs).toBe(600);
  });

  it('counts listed computes and gives the reason for unlisted ones', async () => {
    const server = await startServer(({ body }) => ({
      body: {
        ok: true,
        computes: ((body['computes'] ?? []) as object[]).map((row, i) =>
          i === 0 ? { ...row, listed: true } : { listed: false, reason: 'name_not_active' },
        ),
      },
    }));
    const last = await run(() => receivedFromEach(2, hosts, server.announces()), {
      url: server.url,
    });
    expect(last.computes).toEqual({ announced: 30, listed: hosts.length });
    expect(last.unlistedReason).toBe('name_not_active');
  });

  it('does not count a 200 of some other server as a heartbeat', async () => {
    const server = await startServer(() => ({ body: { hello: 'world' } }));
    const last = await run(() => server.pings().length > 100, { url: server.url });
    expect(last.pings).toBe(0);
    expect(last.nodes.joining).toBe(200);
    expect(Object.keys(last.errors)).toEqual(['200 unexpected_answer']);
  });

  it('retries an unreachable service gently, and recovers when it is back', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    let seen: FleetProgress | undefined;
    const later: Awaited<ReturnType<typeof startServer>>[] = [];
    const running = run(
      () => later.some((server) => receivedFromEach(1, small.nodes, server.pings())),
      {
        url,
        onProgress: (progress) => (seen ??= progress.outage ? progress : undefined),
      },
    );
    await expect.poll(() => seen).toBeDefined();
    expect(seen?.outage?.code).toBe('ECONNREFUSED');
    expect(formatProgress(seen as FleetProgress)[3]).toContain('ECONNREFUSED');
    const server = await startServer(() => ({}), port);
    later.push(server);
    const last = await running;
    expect(receivedFromEach(1, small.nodes, server.pings())).toBe(true);
    expect(last.outage).toBeNull();
    // 200 nodes at 200 ms would have tried more than a thousand times.
    expect(last.errors['ECONNREFUSED']).toBeLessThan(150);
  });

  it('shares a bounded number of connections while the service is slow', async () => {
    const plan = planFleet({ nodes: 1_000, computes: 0, seed: 1 });
    const server = await startServer(() => ({ delayMs: 100 }));
    await run(() => server.pings().length > 1_000, { url: server.url, plan });
    expect(server.connections()).toBeLessThanOrEqual(128);
  });

  it('stops at once when aborted, even while requests hang', async () => {
    const server = await startServer(() => ({ delayMs: 20_000 }));
    const abort = new AbortController();
    const running = run(0, { url: server.url, signal: abort.signal });
    await expect.poll(() => server.pings().length).toBeGreaterThan(0);
    const abortedAt = performance.now();
    abort.abort();
    const last = await running;
    // Before the answers, which take 20 s.
    expect(performance.now() - abortedAt).toBeLessThan(10_000);
    expect(last.errors).toEqual({});
    expect(formatSummary(last)[0]).toContain('0 heartbeats');
  });
});
