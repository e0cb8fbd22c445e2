import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Check } from '@mesh-registry/agent/terminal/check.ts';
import { startHttpServer } from '../support/http-server.ts';
import { pin } from '../support/node-keys.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { aNode, command, type ANode } from './command.ts';

/** `mesh-agent doctor` against the real service. */

const SECRET = 'the-secret-of-this-network';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { WEBHOOK_SECRET: SECRET } });
});
afterAll(() => server.stop());

async function doctor({ config, state }: ANode) {
  const { code, stdout } = await command([
    'doctor',
    '--json',
    ...['--config', config, '--state', state],
  ]);
  expect(stdout).not.toContain(SECRET);
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  const levels = Object.fromEntries(checks.map(({ name, level }) => [name, level]));
  const find = (name: string) => checks.find((check) => check.name === name);
  return { code, levels, find };
}

it('Where everything fits, nothing fails, and nothing is stored', async () => {
  const node = aNode(server.url, {
    more: '[[compute]]\nname = "garage"\nreplicas = 4\nfree_slots = 2\n',
  });
  const { code, levels, find } = await doctor(node);
  expect(levels).toEqual({
    'Node.js': 'OK',
    Configuration: 'OK',
    Key: 'OK',
    Secret: 'OK',
    State: 'OK',
    Agent: 'WARN',
    'Offer garage': 'OK',
    Service: 'OK',
    Clock: 'OK',
    Schema: 'OK',
    Pin: 'OK',
    Acceptance: 'OK',
  });
  expect(code).toBe(0);
  expect(find('Acceptance')?.message).toContain('at 37.5, -122.5');
  const { peers } = (await (await server.get('/api/mesh')).json()) as { peers: { id: string }[] };
  expect(peers.map(({ id }) => id)).not.toContain(node.nodeId);
});

it('A wrong secret fails with what to do', async () => {
  const node = aNode(server.url);
  writeFileSync(node.secret, 'another-one');
  const { code, find } = await doctor(node);
  expect(code).toBe(1);
  expect(find('Acceptance')).toMatchObject({
    level: 'FAIL',
    message: expect.stringContaining(`refuses the secret from ${node.secret}`) as string,
  });
});

it('Files that others can read are told: the key fails, the secret warns', async () => {
  const node = aNode(server.url);
  chmodSync(node.key, 0o644);
  chmodSync(node.secret, 0o644);
  const { levels, find } = await doctor(node);
  expect(levels).toMatchObject({ Key: 'FAIL', Secret: 'WARN' });
  expect(find('Key')?.message).toContain('chmod 600');
  expect(find('Secret')?.remedy).toContain('chmod 600');
});

it('A node that is pinned is told: to this key it is fine, to another it fails', async () => {
  const mine = aNode(server.url);
  await pin(server, mine.nodeId, mine.identity.key);
  expect((await doctor(mine)).levels).toMatchObject({ Pin: 'OK', Acceptance: 'OK' });
  const stranger = aNode(server.url, { nodeId: mine.nodeId });
  const { code, levels } = await doctor(stranger);
  expect(code).toBe(1);
  expect(levels).toMatchObject({ Pin: 'FAIL', Acceptance: 'FAIL' });
});

it('Free slots that cannot be read, a bad value, and a service that is away fail', async () => {
  const slots = aNode(server.url, {
    more: '[[compute]]\nname = "garage"\nreplicas = 4\nfree_slots = { file = "none" }\n',
  });
  expect((await doctor(slots)).levels).toMatchObject({ 'Offer garage': 'FAIL' });
  const bad = aNode(server.url);
  writeFileSync(bad.config, readFileSync(bad.config, 'utf8').replace('37.7', '137.7'));
  const wrong = await doctor(bad);
  expect(wrong.find('Configuration')?.message).toContain(':7: map.lat must be from -90 to 90.');
  const away = await doctor(aNode('http://127.0.0.1:9'));
  expect(away.code).toBe(1);
  expect(away.find('Service')).toMatchObject({ level: 'FAIL' });
});

/** A service that answers as one without keys and dry runs does. */
async function olderService(aheadMs = 0) {
  const posts: string[] = [];
  const stub = await startHttpServer((request, response) => {
    if (request.method === 'POST') posts.push(request.url ?? '');
    const known = request.url === '/api/mesh/ping';
    response.writeHead(known ? 200 : 404, {
      'content-type': 'application/json',
      date: new Date(Date.now() + aheadMs).toUTCString(),
    });
    response.end(
      JSON.stringify(
        known
          ? { ok: true, fields: {}, filters: [], auth: { required: false } }
          : { ok: false, code: 'not_found', error: 'No such path.', requestId: 'r' },
      ),
    );
  });
  onTestFinished(() => stub.stop());
  return { url: stub.url, posts };
}

it('A clock that is an hour off fails, and says by how much', async () => {
  const { url } = await olderService(3_600_000);
  const { find } = await doctor(aNode(url));
  expect(find('Clock')).toMatchObject({
    level: 'FAIL',
    message: expect.stringContaining('60 minutes behind') as string,
  });
});

it('A service that cannot try a heartbeat is not sent one', async () => {
  const { url, posts } = await olderService();
  const { levels } = await doctor(aNode(url));
  expect(levels).toMatchObject({ Acceptance: 'WARN' });
  expect(posts).toEqual([]);
});
