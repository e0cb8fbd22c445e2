import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
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

/** A service that keeps what it is sent, at an address that is not loopback by its name. */
async function overheard() {
  const heard: string[] = [];
  const stub = await startHttpServer((request, response) => {
    heard.push(JSON.stringify([request.url, request.headers]));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: true, fields: {}, filters: [], auth: { required: true } }));
  });
  onTestFinished(() => stub.stop());
  // Linux takes it for this machine; nobody may rely on that.
  return { url: stub.url.replace('127.0.0.1', '0.0.0.0'), heard };
}

it('The secret does not go to another machine without TLS, by no command, unless it is told to', async () => {
  const { url, heard } = await overheard();
  const node = aNode(url);
  const at = ['--config', node.config];
  const refusal = /without TLS.*https address.*insecure_http = true.*--insecure-http/;
  for (const args of [
    ['config', 'check'],
    ['run', '--once', '--state', node.state],
    ['run', '--dry-run'],
    ['register', 'garage'],
    ['claim', 'reg_4k7XQ2m9VbT0cRfJ8wYhLd'],
    ['identity', 'rotate'],
  ]) {
    const { code, stderr } = await command([...args, ...at]);
    expect([args[0], code], stderr).toEqual([args[0], 3]);
    expect(stderr).toMatch(refusal);
  }
  expect(heard).toEqual([]);
  const { code, levels, find } = await doctor(node);
  expect(code).toBe(1);
  expect(levels).toMatchObject({ Secret: 'FAIL', Service: 'WARN' });
  expect(levels).not.toHaveProperty('Acceptance');
  expect(find('Secret')?.message).toMatch(refusal);
  expect(heard.join()).not.toContain(SECRET);

  const config = readFileSync(node.config, 'utf8');
  const once = ['run', '--once', '--state', node.state, ...at];
  await command([...once, '--insecure-http']);
  expect(heard.join()).toContain(`Bearer ${SECRET}`);
  heard.length = 0;
  writeFileSync(node.config, config.replace('[node]', 'insecure_http = true\n[node]'));
  expect((await command(['config', 'check', ...at])).code).toBe(0);
  await command(once);
  expect(heard.join()).toContain(`Bearer ${SECRET}`);
  // A signature is no secret: heartbeats that carry nothing else go on.
  heard.length = 0;
  writeFileSync(node.config, config.replace('secret_file = "secret"\n', ''));
  await command(once);
  expect(heard.join()).toContain('signature-input');
});

it('init writes no configuration that would send the secret without TLS, unless it is told to', async () => {
  const { url, heard } = await overheard();
  const node = aNode(url);
  const config = `${node.folder}/other/config.toml`;
  const args = ['init', '--config', config, '--service', url, '--no-map'];
  const given = [...args, '--secret-file', node.secret];
  const refused = await command(given);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/without TLS.*https address.*--insecure-http/);
  expect(existsSync(config)).toBe(false);
  expect((await command([...given, '--insecure-http'])).code).toBe(0);
  expect(readFileSync(config, 'utf8')).toContain('insecure_http = true');
  expect((await command([...args, '--force'])).code).toBe(0);
  expect(readFileSync(config, 'utf8')).not.toContain('insecure_http');
  expect(heard.join()).not.toContain(SECRET);
});

it('What a service says is only shown: nothing that a terminal obeys, no second line', async () => {
  const evil = 'garage\x1b[2J\x1b]0;title\x07\u202e\u2066\x9b1A\r\nOK    Everything';
  const stub = await startHttpServer((request, response) => {
    const known = request.url?.startsWith('/api/mesh/ping');
    response.writeHead(known || request.url?.endsWith('/key') ? 200 : 404, {
      'content-type': 'application/json',
    });
    response.end(
      JSON.stringify(
        request.method === 'POST'
          ? { ok: true, peer: { label: evil, lat: 37.5, lng: -122.5 }, dropped: [] }
          : known
            ? {
                ok: true,
                fields: { [evil]: { required: true } },
                filters: [],
                auth: { required: false },
              }
            : { ok: true, key: evil },
      ),
    );
  });
  onTestFinished(() => stub.stop());
  const node = aNode(stub.url);
  for (const json of [[], ['--json']]) {
    const args = ['doctor', '--config', node.config, '--state', node.state, ...json];
    const { stdout } = await command(args);
    expect(stdout).toContain('garage OK    Everything');
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]|\p{Cf}/u);
    expect(stdout).not.toMatch(/^OK {4}Everything/m);
  }
});

it('A redirect is not followed by any question, and told with where it leads', async () => {
  const paths: string[] = [];
  const stub = await startHttpServer((request, response) => {
    paths.push(request.url ?? '');
    response.writeHead(308, { location: `https://elsewhere.example${request.url}` }).end();
  });
  onTestFinished(() => stub.stop());
  const node = aNode(stub.url);
  const { find } = await doctor(node);
  expect(find('Service')).toMatchObject({
    level: 'FAIL',
    message: expect.stringMatching(
      /redirects to https:\/\/elsewhere\.example.*Check service\.url/,
    ) as string,
  });
  expect((await command(['register', '--list', '--config', node.config])).stderr).toContain(
    'redirects to https://elsewhere.example',
  );
});

it('A service under another address than its PUBLIC_URL is told, because it refuses what is signed for this one', async () => {
  const named = await startTestServer({
    env: { WEBHOOK_SECRET: SECRET, PUBLIC_URL: 'https://mesh.example' },
  });
  try {
    const { code, find } = await doctor(aNode(named.url));
    expect(code).toBe(1);
    expect(find('Service')).toMatchObject({
      level: 'FAIL',
      message: expect.stringContaining('mesh.example'),
      remedy: expect.stringContaining('PUBLIC_URL'),
    });
    expect(find('Acceptance')?.level).toBe('FAIL');
  } finally {
    await named.stop();
  }
});
