import { hash, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { signNodeProof } from '@mesh-registry/protocol/keys/node-signature.ts';
import { pin, rotationTo } from '../support/node-keys.ts';
import { sendRaw, signByHand } from '../support/rfc9421.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { forge, SMALL_ORDER_KEYS } from '../support/small-order.ts';
import { aPing, freshId } from './contract.ts';

/** For which service a signature was made, over which bytes, and by which keys. */

const PING = '/api/mesh/ping';
const REGISTER = '/api/registry/register';
const A = 'https://a.example';
const B = 'https://b.example:8443';
const LEFT_OUT = ['@method', '@path', 'content-digest'];

const now = () => Math.floor(Date.now() / 1000);

interface Sent {
  key: KeyObject;
  authority: string;
  components?: string[];
  /** The Host of the request; default: that of the server's own address. */
  host?: string;
  headers?: Record<string, string>;
}

/** Signs by hand for `authority`, and sends it to whichever server. */
function send(
  server: TestServer,
  method: string,
  path: string,
  body: object | Uint8Array | null,
  { key, authority, components, host, headers: more }: Sent,
) {
  const bytes =
    body === null || body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
  const headers = {
    ...signByHand({
      method,
      path,
      authority,
      body: bytes,
      key,
      created: now(),
      ...(components && { components }),
    }),
    ...(host !== undefined && { host }),
    ...more,
  };
  return sendRaw(`${server.url}${path}`, method, bytes, headers);
}

describe('two services', () => {
  let a: TestServer;
  let b: TestServer;
  const key = generateNodeKey();
  beforeAll(async () => {
    [a, b] = await Promise.all([
      startTestServer({ env: { PUBLIC_URL: A, RATE_LIMITS: 'off' } }),
      startTestServer({ env: { PUBLIC_URL: B, RATE_LIMITS: 'off' } }),
    ]);
  });
  afterAll(() => Promise.all([a.stop(), b.stop()]));

  /** Every request that a node signs, on a node pinned to the key. */
  const requests = async (server: TestServer) => {
    const nodeId = freshId();
    await pin(server, nodeId, key);
    const node = `/api/mesh/nodes/${nodeId}`;
    const rotation = rotationTo(generateNodeKey(), {
      network: server === a ? A : B,
      nodeId,
      previous: key,
      now: Date.now(),
    });
    return [
      ['POST', PING, aPing({ nodeId })],
      ['GET', `${node}/registrations`, null],
      ['POST', `${node}/registrations`, { id: `reg_${'x'.repeat(24)}` }],
      ['PUT', `${node}/key`, rotation],
      ['DELETE', node, null],
    ] as const;
  };

  test('a request that was signed for one is worth nothing at the other, whatever Host it names', async () => {
    for (const [method, path, body] of await requests(b))
      for (const host of [undefined, 'a.example', 'b.example:8443']) {
        const sent = { key, authority: 'a.example', ...(host !== undefined && { host }) };
        const answer = await send(b, method, path, body, sent);
        expect([method, path, answer.status, answer.json.code]).toEqual([
          method,
          path,
          401,
          'signature_invalid',
        ]);
        expect(answer.json.error).toContain('b.example:8443');
      }
  });

  test('the one that it was signed for takes it, whatever Host it names', async () => {
    const wanted = [201, 200, 404, 200, 401];
    for (const host of ['a.example', 'evil.example', '127.0.0.1:1'])
      for (const [at, [method, path, body]] of (await requests(a)).entries()) {
        const answer = await send(a, method, path, body, { key, authority: 'a.example', host });
        // The last one is by the key that the one before has replaced.
        expect([method, path, answer.status]).toEqual([method, path, wanted[at]]);
        if (at === 4) expect(answer.json.code).toBe('signature_required');
      }
  });

  test('a signature that names no service is accepted of heartbeats alone, with a line in the log', async () => {
    const left = (parts: string[]) => ({ key, authority: 'a.example', components: parts });
    for (const [method, path, body] of await requests(a)) {
      const parts = body ? LEFT_OUT : ['@method', '@path'];
      const answer = await send(a, method, path, body, left(parts));
      if (path === PING) expect(answer.status).toBe(201);
      else {
        expect([path, answer.status, answer.json.code]).toEqual([path, 401, 'signature_invalid']);
        expect(answer.json.error).toContain('"@authority"');
        expect(answer.headers.get('accept-signature')).toContain('"@authority"');
      }
    }
    for (let n = 0; n < 5; n++)
      expect((await send(a, 'POST', PING, aPing(), left(LEFT_OUT))).status).toBe(201);
    const lines = () =>
      a
        .log()
        .split('\n')
        .filter((line) => line.includes('@authority'));
    const told = lines().filter((line) => !line.includes('request refused')).length;
    expect(told).toBe(0);
    a.services.identity.tellOfUnnamed();
    a.services.identity.tellOfUnnamed();
    const after = lines().filter((line) => line.includes('next minor version'));
    expect(after).toHaveLength(1);
    expect(JSON.parse(after[0] ?? '')).toMatchObject({ requests: 6 });
  });

  test('a proof is for the service that it names, whatever Host the request names', async () => {
    const start = (server: TestServer, network: string, host: string) => {
      const [name, nodeId] = [freshId('name'), freshId()];
      const proof = signNodeProof({ action: 'start', network, name, nodeId }, key);
      const body = Buffer.from(
        JSON.stringify({ action: 'start', name, nodeId, kinds: ['node'], proof }),
      );
      return sendRaw(`${server.url}${REGISTER}`, 'POST', body, { host });
    };
    expect((await start(a, A, 'evil.example')).status).toBe(201);
    for (const host of ['a.example', 'b.example:8443']) {
      const answer = await start(b, A, host);
      expect([answer.status, answer.json.code]).toEqual([401, 'signature_invalid']);
    }
  });
});

describe('a service outside production, without PUBLIC_URL', () => {
  let server: TestServer;
  const key = generateNodeKey();
  beforeAll(async () => {
    server = await startTestServer({ env: { RATE_LIMITS: 'off' } });
  });
  afterAll(() => server.stop());

  test('is each of the names that its machine has for itself, at its own port', async () => {
    const { port } = new URL(server.url);
    const path = `/api/mesh/nodes/${freshId()}/registrations`;
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
      const host = `${name}:${port}`;
      const answer = await send(server, 'GET', path, null, { key, authority: host, host });
      expect([host, answer.status]).toEqual([host, 200]);
    }
  });

  test('is no other, though the Host says so', async () => {
    const path = `/api/mesh/nodes/${freshId()}/registrations`;
    const { host: own } = new URL(server.url);
    for (const host of ['mesh.example', '127.0.0.1:1', 'localhost', 'localhost.example']) {
      const answer = await send(server, 'GET', path, null, { key, authority: host, host });
      expect([host, answer.status]).toEqual([host, 401]);
      expect(answer.json.error).toContain('PUBLIC_URL');
      const right = await send(server, 'GET', path, null, { key, authority: own, host });
      expect([host, right.status]).toEqual([host, 200]);
    }
  });

  test('takes heartbeats by any name that leads to it, as through a forwarded port', async () => {
    const sent = { key, authority: 'gateway.example:8080', host: 'gateway.example:8080' };
    expect((await send(server, 'POST', PING, aPing(), sent)).status).toBe(201);
    const forged = { ...sent, authority: 'other.example' };
    expect((await send(server, 'POST', PING, aPing(), forged)).status).toBe(401);
  });

  test.each([
    [
      'a byte order mark',
      (text: string) => Buffer.concat([Buffer.from('\uFEFF'), Buffer.from(text)]),
    ],
    [
      'bytes that are no UTF-8',
      (text: string) =>
        Buffer.concat([
          Buffer.from(text.slice(0, -1)),
          Buffer.from(',"label":"caf'),
          Buffer.from([0xe9]),
          Buffer.from('"}'),
        ]),
    ],
  ])('checks the digest over the bytes as they came: %s', async (_, bytesOf) => {
    const { host } = new URL(server.url);
    const body = bytesOf(JSON.stringify(aPing()));
    // The digest of what the service reads, after decoding, is not that of what was sent.
    const decoded = Buffer.from(new TextDecoder().decode(body));
    expect(decoded.equals(body)).toBe(false);
    const signed = signByHand({
      method: 'POST',
      path: PING,
      authority: host,
      body: decoded,
      key,
      created: now(),
    });
    for (const chunked of [false, true]) {
      const more = chunked ? { 'transfer-encoding': 'chunked' } : {};
      const answer = await sendRaw(`${server.url}${PING}`, 'POST', body, { ...signed, ...more });
      expect([answer.status, answer.json.code]).toEqual([401, 'signature_invalid']);
      expect(answer.json.error).toContain('Content-Digest');
    }
    const right = await send(server, 'POST', PING, body, { key, authority: host });
    expect(right.status).toBe(201);
  });

  test.each(SMALL_ORDER_KEYS)('knows no key %s, for which anybody can sign', async (keyid) => {
    const { host } = new URL(server.url);
    const nodeId = freshId();
    const body = JSON.stringify(aPing({ nodeId }));
    const digest = `sha-256=:${hash('sha256', body, 'base64')}:`;
    const covered = '("@method" "@path" "@authority" "content-digest")';
    const created = now();
    const parameters = (n: number) =>
      `${covered};created=${created};nonce="nonce-${String(n).padStart(16, '0')}";keyid="${keyid}";tag="mesh-node"`;
    const base = (n: number) =>
      Buffer.from(
        `"@method": POST\n"@path": ${PING}\n"@authority": ${host}\n"content-digest": ${digest}\n"@signature-params": ${parameters(n)}`,
      );
    const { n, sig } = forge(keyid, base);
    const answer = await sendRaw(`${server.url}${PING}`, 'POST', Buffer.from(body), {
      'content-digest': digest,
      'signature-input': `node=${parameters(n)}`,
      signature: `node=:${sig.toString('base64')}:`,
    });
    expect([answer.status, answer.json.code]).toEqual([401, 'signature_invalid']);
    expect(server.services.mesh.peer(nodeId)).toBeNull();
  });
});

describe('a service in production, without PUBLIC_URL', () => {
  let server: TestServer;
  const key = generateNodeKey();
  const authorization = 'Bearer a-secret-of-this-network';
  beforeAll(async () => {
    server = await startTestServer({
      env: {
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        WEBHOOK_SECRET: 'a-secret-of-this-network',
        CASHTAG: '$MeshDemo',
        RATE_LIMITS: 'off',
      },
    });
  });
  afterAll(() => server.stop());

  test('warns at its start', () => {
    const warning = server
      .log()
      .split('\n')
      .find((line) => line.includes('PUBLIC_URL is not set'));
    expect(JSON.parse(warning ?? '')).toMatchObject({ level: 40 });
  });

  test('refuses what has to name it, and says that PUBLIC_URL is missing', async () => {
    const nodeId = freshId();
    await pin(server, nodeId, key);
    const { host } = new URL(server.url);
    const node = `/api/mesh/nodes/${nodeId}`;
    const network = server.url;
    const proof = signNodeProof({ action: 'start', network, name: 'garage', nodeId }, key);
    const start = { action: 'start', name: 'garage', nodeId, kinds: ['node'] };
    const next = { network, nodeId, previous: key, now: Date.now() };
    const sent = { key, authority: host, headers: { authorization } };
    const answers = [
      await send(server, 'GET', `${node}/registrations`, null, sent),
      await send(server, 'POST', `${node}/registrations`, { id: `reg_${'x'.repeat(24)}` }, sent),
      await send(server, 'PUT', `${node}/key`, rotationTo(generateNodeKey(), next), sent),
      await send(server, 'DELETE', node, null, sent),
      await sendRaw(
        `${server.url}${REGISTER}`,
        'POST',
        Buffer.from(JSON.stringify({ ...start, proof })),
        {},
      ),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.json.code]).toEqual([503, 'unavailable']);
      expect(answer.json.error).toContain('PUBLIC_URL');
      expect(answer.headers.get('retry-after')).not.toBeNull();
    }
    const unproved = await sendRaw(
      `${server.url}${REGISTER}`,
      'POST',
      Buffer.from(JSON.stringify(start)),
      {},
    );
    expect(unproved.status).toBe(201);
  });

  test('goes on with signed heartbeats, of which it checks all but the name', async () => {
    const nodeId = freshId();
    await pin(server, nodeId, key);
    const ping = (sent: Partial<Sent>) =>
      send(server, 'POST', PING, aPing({ nodeId }), {
        key,
        authority: 'mesh.example',
        host: 'mesh.example',
        headers: { authorization },
        ...sent,
      });
    expect((await ping({})).status).toBe(201);
    expect((await ping({ components: LEFT_OUT })).status).toBe(200);
    expect((await ping({ key: generateNodeKey() })).status).toBe(401);
    expect((await ping({ authority: 'other.example' })).status).toBe(401);
    expect(server.services.identity.lastSigner(nodeId)?.key).toBe(nodeKeyText(key));
  });
});
