import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { MeshRegistry, unwrap, type ClientOptions } from '@mesh-registry/client/index.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { signWith } from '@mesh-registry/protocol/keys/node-signature.ts';
import { aCompute, aPing, freshId } from '../contract/contract.ts';
import { startHttpServer } from '../support/http-server.ts';
import { pin, rotationTo } from '../support/node-keys.ts';
import { startNetworkProxy } from '../support/network-proxy.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const SECRET = 'a-secret-of-the-network';
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    env: { WEBHOOK_SECRET: SECRET, COMPUTE_LISTING: 'announced' },
  });
});
afterAll(() => server.stop());

const aClient = (options: Partial<ClientOptions> = {}) =>
  new MeshRegistry({ url: server.url, secret: SECRET, ...options });

/** A client of something that answers as `listener` does. */
async function clientOf(listener: RequestListener, options: Partial<ClientOptions> = {}) {
  const stub = await startHttpServer(listener);
  onTestFinished(() => stub.stop());
  return new MeshRegistry({ url: stub.url, retries: 0, ...options });
}

const sends =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(status, headers).end(body);

describe('against the service', () => {
  test('every call is answered', async () => {
    const client = aClient();
    const nodeId = freshId();
    const first = await client.ping(aPing({ nodeId }));
    expect(first).toMatchObject({ ok: true, status: 201, value: { isNew: true } });
    expect(await client.ping(aPing({ nodeId }))).toMatchObject({ ok: true, status: 200 });
    const name = freshId('name');
    const announced = unwrap(await client.announce({ nodeId, computes: [aCompute({ name })] }));
    expect(announced.computes).toMatchObject([{ name, listed: true }]);

    expect(unwrap(await client.mesh()).peers.map(({ id }) => id)).toContain(nodeId);
    const listed = unwrap(await client.computes({ available: true, visibility: 'all' }));
    expect(listed.computes.map((compute) => compute.name)).toContain(name);
    expect(unwrap(await client.registry())).toMatchObject({ ok: true, count: 0 });
    expect(unwrap(await client.history(30))).toMatchObject({ stepSeconds: 86_400 });
    expect(unwrap(await client.nodeHistory(nodeId))).toMatchObject({ stepSeconds: 900 });
    expect(unwrap(await client.placeHistory(90))).toMatchObject({ stepSeconds: 86_400 });
    expect(await client.placesAt(1, '2026-01-01T00:00:00.000Z')).toMatchObject({
      ok: false,
      problem: { code: 'not_found' },
    });
    expect(unwrap(await client.describePing())).toMatchObject({ ok: true });
    expect(unwrap(await client.registerInfo())).toMatchObject({ counts: { active: 0 } });
    expect(await client.removeNode(nodeId)).toMatchObject({
      ok: true,
      value: { nodeId },
      status: 200,
    });
  });

  test('a registration is started once, however often it is sent, and confirmed', async () => {
    const client = aClient();
    const name = freshId('name');
    expect(unwrap(await client.availability(name)).available).toBe(true);
    const start = { name, nodeId: freshId(), kinds: ['node' as const] };
    const started = await client.start(start, { idempotencyKey: name });
    expect(started).toMatchObject({ ok: true, status: 201 });
    const { id } = unwrap(started);
    expect(unwrap(await client.start(start, { idempotencyKey: name })).id).toBe(id);
    const confirmed = unwrap(await client.confirm({ id }));
    expect(confirmed.status).toBe('pending_review');
    expect(unwrap(await client.registration(id))).toEqual(confirmed);
    expect(unwrap(await client.cancel(id)).status).toBe('rejected');
    expect(unwrap(await client.availability(name)).available).toBe(true);
  });

  test('calls that a key signs speak for its node, and the key can be replaced', async () => {
    const [nodeId, old, next] = [freshId(), generateNodeKey(), generateNodeKey()];
    await pin(server, nodeId, old);
    const signed = aClient({ authorize: signWith(old) });
    expect(await aClient().ping(aPing({ nodeId }))).toMatchObject({
      problem: { code: 'signature_required' },
    });
    const dry = unwrap(await signed.ping(aPing({ nodeId }), { dryRun: true }));
    expect(dry.dryRun && dry.isNew).toBe(true);
    expect(unwrap(await signed.ping(aPing({ nodeId }))).isNew).toBe(true);
    const rotation = rotationTo(next, {
      network: server.url,
      nodeId,
      previous: old,
      now: Date.now(),
    });
    expect(unwrap(await signed.rotateKey(nodeId, rotation)).source).toBe('rotation');
    expect(unwrap(await aClient().nodeKey(nodeId)).key).toBe(nodeKeyText(next));
    const renewed = aClient({ authorize: signWith(next) });
    expect(await renewed.announce({ nodeId, computes: [aCompute()] })).toMatchObject({ ok: true });
    expect(await signed.removeNode(nodeId)).toMatchObject({ ok: false });
    expect(await renewed.removeNode(nodeId)).toMatchObject({ ok: true, value: null, status: 204 });
  });

  test('an error of the service is a value with its code and the fields at fault', async () => {
    const refused = await aClient().ping({ nodeId: freshId(), lat: 91, lng: 0 });
    expect(refused).toMatchObject({
      ok: false,
      problem: {
        kind: 'refused',
        status: 400,
        code: 'invalid_body',
        issues: [{ path: 'lat' }],
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    expect(() => unwrap(refused)).toThrow(/lat/);
    expect(await aClient({ secret: 'another' }).ping(aPing())).toMatchObject({
      problem: { code: 'unauthorized' },
    });
  });

  test('the secret is sent with the calls of a node only', async () => {
    const seen: Record<string, string | undefined> = {};
    const client = await clientOf(
      (request, response) => {
        seen[`${request.method} ${request.url}`] = request.headers.authorization;
        response.end('{}');
      },
      { secret: SECRET },
    );
    await client.mesh();
    await client.start({ name: 'garage', nodeId: 'node_a', kinds: ['node'] });
    await client.ping(aPing());
    await client.removeNode('a/b');
    expect(seen).toEqual({
      'GET /api/mesh': undefined,
      'POST /api/registry/register': undefined,
      'POST /api/mesh/ping': `Bearer ${SECRET}`,
      'DELETE /api/mesh/nodes/a%2Fb': `Bearer ${SECRET}`,
    });
  });

  test('polling yields a list when it has changed, and ends with the loop', async () => {
    const nodeId = freshId();
    const client = aClient();
    await client.announce({ nodeId, computes: [aCompute({ name: freshId('name'), replicas: 1 })] });
    const replicas: number[] = [];
    for await (const list of client.poll('computes', {
      everyMs: 20,
      filter: { visibility: 'all' },
    })) {
      const own = unwrap(list).computes.find((compute) => compute.nodeId === nodeId);
      replicas.push(own?.replicas ?? NaN);
      if (!own || replicas.length === 3) break;
      await client.announce({
        nodeId,
        computes: [aCompute({ name: own.name, replicas: own.replicas + 1 })],
      });
    }
    expect(replicas).toEqual([1, 2, 3]);
  });

  test('following yields a snapshot and what changes, also across a lost connection', async () => {
    const proxy = await startNetworkProxy(server.url);
    onTestFinished(() => proxy.cut());
    const ending = new AbortController();
    const [before, during] = [freshId(), freshId()];
    await aClient().ping(aPing({ nodeId: before }));
    const rows = new Set<string>();
    const seen: string[] = [];
    for await (const event of aClient({ url: proxy.url }).follow('mesh', {
      signal: ending.signal,
    })) {
      if (!event.ok) {
        seen.push(event.problem.kind);
        await proxy.restore();
        continue;
      }
      for (const { id } of event.value.rows) rows.add(id);
      if (seen.length === 0) {
        seen.push(event.value.type);
        expect(rows).toContain(before);
        await proxy.cut();
        await aClient().ping(aPing({ nodeId: during }));
      }
      if (rows.has(during)) {
        // It resumed: no second snapshot.
        seen.push(event.value.type);
        ending.abort();
      }
    }
    expect(seen).toEqual(['snapshot', 'unreachable', 'changes']);
  });
});

describe('what goes wrong on the way', () => {
  test('is retried after Retry-After, and returned where that is too long', async () => {
    let requests = 0;
    const listener: RequestListener = (_, response) =>
      requests++ === 0
        ? response.writeHead(503, { 'retry-after': '1' }).end()
        : response.end('{"peers":[]}');
    const patient = await clientOf(listener, { retries: 1 });
    expect(await patient.mesh()).toMatchObject({ ok: true, value: { peers: [] } });
    expect(requests).toBe(2);
    const hasty = await clientOf(sends(429, '', { 'retry-after': '60' }), { retries: 5 });
    expect(await hasty.mesh()).toMatchObject({ problem: { status: 429, retryAfterMs: 60_000 } });
  });

  test('is no success because it has status 200', async () => {
    const html = await clientOf(sends(200, '<h1>Welcome to the hotel’s network</h1>'));
    expect(await html.ping(aPing())).toMatchObject({
      problem: { kind: 'unexpected', message: expect.stringContaining('Welcome to the hotel') },
    });
  });

  test.each([
    [200, '{"hello":"world"}'],
    [204, ''],
    [304, ''],
  ])('a heartbeat answered with %i %s has not arrived', async (status, body) => {
    const other = await clientOf(sends(status, body));
    expect(await other.ping(aPing())).toMatchObject({ problem: { kind: 'unexpected', status } });
  });

  test('a redirect of a heartbeat is not followed, but told', async () => {
    const moved = await clientOf(sends(301, '', { location: 'https://elsewhere.example/' }));
    expect(await moved.ping(aPing())).toMatchObject({
      problem: { kind: 'unexpected', message: expect.stringContaining('elsewhere.example') },
    });
  });

  test('no call with a signature or a secret follows a redirect, also one that only reads', async () => {
    const paths: string[] = [];
    const listener: RequestListener = (request, response) => {
      paths.push(request.url ?? '');
      if (request.url === '/elsewhere') response.end('{"ok":true,"peers":[]}');
      else response.writeHead(307, { location: '/elsewhere' }).end();
    };
    const client = await clientOf(listener, {
      secret: SECRET,
      authorize: () => ({ signature: 'sig=:x:' }),
    });
    for (const call of [
      client.registrationsOf('node_1'),
      client.claim('node_1', 'reg_1'),
      client.ping(aPing()),
      client.removeNode('node_1'),
    ])
      expect(await call).toMatchObject({
        problem: { kind: 'unexpected', message: expect.stringContaining('to /elsewhere') },
      });
    expect(paths).not.toContain('/elsewhere');
    expect(await client.mesh()).toMatchObject({ ok: true });
    const strict = await clientOf(listener, { followRedirects: false });
    expect(await strict.mesh()).toMatchObject({ problem: { status: 307 } });
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['gzip, gzip', (bytes: Buffer) => gzipSync(gzipSync(bytes))],
    ['identity', (bytes: Buffer) => bytes],
  ] as const)(
    'an answer is read up to 4 MiB, however small it comes (%s)',
    async (encoding, encode) => {
      const body = encode(
        Buffer.concat([Buffer.from('"'), Buffer.alloc(32_000_000, 0x20), Buffer.from('"')]),
      );
      let sent = 0;
      const client = await clientOf((_, response) => {
        response.writeHead(200, encoding === 'identity' ? {} : { 'content-encoding': encoding });
        const send = () => {
          while (sent < body.length) {
            const part = body.subarray(sent, sent + 65_536);
            sent += part.length;
            if (!response.write(part)) return void response.once('drain', send);
          }
          response.end();
        };
        send();
      });
      expect(await client.truth()).toMatchObject({
        problem: {
          kind: 'unexpected',
          status: 200,
          message: expect.stringContaining('longer than 4 MiB'),
        },
      });
      if (encoding === 'identity') expect(sent).toBeLessThan(24_000_000);
    },
  );

  test('an answer that is as long as it may be is read, one byte more is not, and a list may be longer', async () => {
    const text = (length: number) => `{"peers":[],"x":"${'x'.repeat(length - 19)}"}`;
    const limit = { maxAnswerBytes: 1000 };
    for (const [length, ok] of [
      [1000, true],
      [1001, false],
    ] as const) {
      const client = await clientOf(sends(200, text(length)), limit);
      expect((await client.mesh()).ok).toBe(ok);
      expect((await client.truth()).ok).toBe(ok);
    }
    const usual = await clientOf(sends(200, text(5_000_000)));
    expect((await usual.mesh()).ok).toBe(true);
    expect((await usual.truth()).ok).toBe(false);
  });

  test.each([
    ['longer than it is', { 'content-length': '100' }, 'unreachable'],
    ['compressed and is not', { 'content-encoding': 'gzip' }, 'unreachable'],
    ['of an unknown encoding', { 'content-encoding': 'rot13' }, 'unexpected'],
  ] as const)('an answer that says it is %s is a problem', async (_, headers, kind) => {
    const client = await clientOf((__, response) => {
      response.writeHead(200, headers);
      response.write('not {} JSON', () => response.destroy());
    });
    const { problem } = (await client.truth()) as { problem?: { kind: string } };
    expect([kind, 'unreachable']).toContain(problem?.kind);
  });

  test('an event without end ends the stream', async () => {
    let sent = 0;
    const client = await clientOf(
      (_, response) => {
        const send = () => {
          sent += 1000;
          if (response.write('data: '.padEnd(1000, 'x'))) setImmediate(send);
          else response.once('drain', send);
        };
        response.on('close', () => (sent = Infinity));
        send();
      },
      { maxAnswerBytes: 100_000 },
    );
    for await (const event of client.follow('mesh')) {
      expect(event).toMatchObject({
        problem: { kind: 'unexpected', message: expect.stringContaining('longer than') },
      });
      break;
    }
    await expect.poll(() => sent).toBe(Infinity);
  });

  test('texts come as the program wants them, also the names of fields, and problems', async () => {
    const clean = (text: string) => text.toUpperCase();
    const body = JSON.stringify({ fields: { 'a b': ['c', 1, null] } });
    const listed = await clientOf(sends(200, body), { clean });
    expect(await listed.truth()).toMatchObject({ value: { FIELDS: { 'A B': ['C', 1, null] } } });
    const foreign = await clientOf(sends(404, 'page', { location: 'x' }), { clean });
    expect(await foreign.truth()).toMatchObject({
      problem: { message: expect.stringContaining('PAGE') },
    });
    // Deeper than any program could go.
    const deep = await clientOf(sends(200, '['.repeat(100_000) + ']'.repeat(100_000)), { clean });
    expect(await deep.truth()).toMatchObject({ problem: { kind: 'unexpected' } });
  });

  test('a server that stays silent, is gone, or is not waited for', async () => {
    const silent = await clientOf(() => undefined, { timeoutMs: 50 });
    expect(await silent.mesh()).toMatchObject({ problem: { kind: 'timeout' } });
    const stub = await startHttpServer(() => undefined);
    await stub.stop();
    const gone = new MeshRegistry({ url: stub.url, retries: 0 });
    expect(await gone.mesh()).toMatchObject({
      problem: { kind: 'unreachable', message: expect.stringContaining('ECONNREFUSED') },
    });
    const ending = new AbortController();
    const asked = await startHttpServer(() => ending.abort());
    onTestFinished(() => asked.stop());
    const client = new MeshRegistry({ url: asked.url });
    expect(await client.mesh({ signal: ending.signal })).toMatchObject({
      problem: { kind: 'aborted' },
    });
  });

  test('polling tells a problem once, and again if it was over in between', async () => {
    const listed = sends(200, '{"peers":[]}');
    const [failing, gone] = [sends(500, ''), sends(404, '')];
    const answers = [listed, failing, failing, gone, listed, gone];
    const client = await clientOf((request, response) => answers.shift()?.(request, response));
    const seen: unknown[] = [];
    for await (const list of client.poll('mesh', { everyMs: 5 })) {
      seen.push(list.ok ? 'list' : 'status' in list.problem && list.problem.status);
      if (answers.length === 0) break;
    }
    expect(seen).toEqual(['list', 500, 404, 'list', 404]);
  });

  test('following a stream that is refused tells why', async () => {
    const body = { error: { data: { ok: false, code: 'rate_limited', error: 'Too many.' } } };
    const client = await clientOf(sends(429, JSON.stringify(body), { 'retry-after': '9' }));
    for await (const event of client.follow('computes')) {
      expect(event).toMatchObject({ problem: { code: 'rate_limited', retryAfterMs: 9_000 } });
      break;
    }
  });

  test('a connection that falls silent is opened anew, where it was', async () => {
    const asked: (string | null)[] = [];
    const client = await clientOf((request, response) => {
      asked.push(new URL(request.url ?? '', 'http://x').searchParams.get('input'));
      const event = { type: 'changes', rows: [], removed: [], head: {} };
      response.write(`data: ${JSON.stringify(event)}\nid: ${asked.length}\n\n`);
    });
    // Longer than a busy machine takes for an answer.
    const following = client.follow('mesh', { silenceMs: 1500 });
    for (const kind of ['value', 'problem', 'value'])
      expect((await following.next()).value).toHaveProperty(kind);
    await following.return();
    expect(asked).toEqual([null, '{"lastEventId":"1"}']);
  });

  test('an address that is none is refused at once', () => {
    expect(() => new MeshRegistry({ url: 'mesh.example.org' })).toThrow(TypeError);
    expect(() => new MeshRegistry({ url: 'ftp://mesh.example.org' })).toThrow(/https:\/\//);
  });

  test('a service below a path is found there', async () => {
    let path: string | undefined;
    const stub = await startHttpServer((request, response) => {
      path = request.url;
      response.end('{}');
    });
    onTestFinished(() => stub.stop());
    await new MeshRegistry({ url: `${stub.url}/mesh` }).history(90);
    expect(path).toBe('/mesh/api/mesh/history?days=90');
  });
});
