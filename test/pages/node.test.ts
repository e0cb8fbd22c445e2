import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activeName, aCompute, aPing, freshId } from '../contract/contract.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openPage } from './page.ts';

const clock = new FakeClock();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' }, clock: clock.read });
});
afterAll(() => server.stop());

const ping = (nodeId: string, fields = {}) =>
  server.post('/api/mesh/ping', aPing({ nodeId, ...fields }));

describe('/nodes/:id', () => {
  test('the status has its reason, and changes at the right millisecond', async () => {
    const id = freshId();
    const verdict = async () =>
      / (Online|Offline) (.*?)\.( Without .*? s\.)?/.exec(
        (await openPage(server, `/nodes/${id}`)).text.replace(/^.* Copy the node ID/, ''),
      )?.[0];
    await ping(id);
    expect(await verdict()).toBe(
      ' Online Last heartbeat now. Without another, it goes offline in 60 s.',
    );
    clock.advance(4000);
    expect(await verdict()).toBe(
      ' Online Last heartbeat 4 s ago. Without another, it goes offline in 56 s.',
    );
    clock.advance(56_000);
    expect(await verdict()).toMatch(/^ Online .* in 1 s\.$/);
    const at = new Date(clock.now - 60_000).toISOString().slice(0, 16).replace('T', ' ');
    clock.advance(1);
    expect(await verdict()).toBe(` Offline No heartbeat since ${at} UTC , 1 min.`);
    await ping(id, { status: 'offline' });
    expect(await verdict()).toBe(' Offline It reported itself offline in its last heartbeat, now.');
  });

  test('a node shows its facts and its approximate location, and links to the map', async () => {
    const id = freshId();
    await ping(id, { label: "O'Neil & attic", lat: 28.61, lng: 77.2, class: 'L', region: 'AS' });
    const page = await openPage(server, `/nodes/${id}`);
    expect(page.status).toBe(200);
    expect(page.title).toBe(`O'Neil & attic (${id}) · Mesh Registry`);
    expect(page.text).toContain('Class L, large');
    expect(page.text).toContain('Place Asia');
    expect(page.text).toContain('28.5° N, 77.0° E. Somewhere in this square, about 56 × 49 km.');
    expect(page.html).toContain(`href="/?node=${id}"`);
    expect(page.meta('og:url')).toBe(`${server.url}/nodes/${id}`);
    expect(page.html).not.toContain('28.61');
    expect(page.html.length).toBeLessThan(60_000);
  });

  test('each compute offer says whether it is listed, and if not, why and what to do', async () => {
    const id = freshId();
    const mine = await activeName(server, { nodeId: id });
    const nodeOnly = await activeName(server, { nodeId: id, kinds: ['node'] });
    const others = await activeName(server);
    const names = [mine.name, nodeOnly.name, others.name, 'not-registered'];
    await server.post('/api/registry/computes', {
      nodeId: id,
      computes: names.map((name) =>
        aCompute({ name, image: name === mine.name ? 'shown.example/x:1' : 'secret.example/x:1' }),
      ),
    });
    // Known by its announcement, without a heartbeat.
    const page = await openPage(server, `/nodes/${id}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('We haven’t heard from this node yet.');
    const row = (name: string) =>
      new RegExp(`${name} (Not listed|shown\\.example/x:1 2 free 4 replicas available now)`).exec(
        page.text,
      )?.[1];
    expect(names.map(row)).toEqual([
      'shown.example/x:1 2 free 4 replicas available now',
      'Not listed',
      'Not listed',
      'Not listed',
    ]);
    expect(page.text).toContain('The name is registered for a node only.');
    expect(page.text).toContain(
      'The name belongs to another node . Announce the compute offer under a name',
    );
    expect(page.text).toContain('The name isn’t active. Check if it’s available');
    // The image of an offer that isn't listed stays private.
    expect(page.html).not.toContain('secret.example');
    expect(page.text).toMatch(new RegExp(`Names .*node and compute offer ${mine.name}`));
  });

  test('a node that never sent a heartbeat is a 404 with the command and what to check', async () => {
    const page = await openPage(server, '/nodes/my_new_node');
    expect(page.status).toBe(404);
    expect(page.meta('robots')).toBe('noindex');
    expect(page.text).toContain(`curl -X POST ${server.url}/api/mesh/ping`);
    expect(page.text).toContain('{"nodeId":"my_new_node","lat":37.7,"lng":-122.4}');
    expect(page.text).not.toContain('$WEBHOOK_SECRET');
    expect(page.text).toContain('This server requires none.');
    await ping('my_new_node');
    expect((await openPage(server, '/nodes/my_new_node')).status).toBe(200);
  });

  test('an invalid id gets a page that says what is wrong with it, whatever it contains', async () => {
    for (const [id, problem] of [
      ['x', 'It has 1 character.'],
      ['y'.repeat(65), 'It has 65 characters.'],
      ['my.node', 'It contains “.”.'],
      ['my%20node', 'It contains a space.'],
      ['a%2Fb', 'It contains “/”.'],
      ['a%00b', 'It contains U+0000.'],
      ['%D1%83%D0%B7%D0%B5%D0%BB', 'It contains “у”, “з”, “е”, “л”.'],
      ['%3Cscript%3Ealert(1)%3C%2Fscript%3E', 'It contains “<”, “>”, “(”, “)”, “/”.'],
    ] as const) {
      const page = await openPage(server, `/nodes/${id}`);
      expect({ id, status: page.status }).toEqual({ id, status: 404 });
      expect(page.text).toContain(problem);
      expect(page.text).toContain('"nodeId":"my_node"');
      expect(page.html).not.toContain('<script>alert');
    }
  });

  test('a removed node has the page of one that never was, and says what brings it back', async () => {
    const id = freshId();
    await ping(id, { label: 'Vanished barn', lat: 12, lng: 34 });
    const { name } = await activeName(server, { nodeId: id, label: 'Its name' });
    await server.services.nodes.remove(id, null);
    const page = await openPage(server, `/nodes/${id}`);
    expect(page.status).toBe(404);
    expect(page.text).toContain('No node with this ID');
    expect(page.text).toContain('unless it sends a heartbeat');
    expect(page.text).toContain('Send its first heartbeat');
    expect(page.html).not.toContain('Vanished barn');
    expect(page.text).not.toContain('12.0° N');
    // Its name keeps its page.
    expect((await openPage(server, `/registry/${name}`)).status).toBe(200);
    clock.advance(1000);
    await ping(id);
    expect((await openPage(server, `/nodes/${id}`)).status).toBe(200);
  });

  test('a blocked node keeps its names, and shows neither a place nor offers', async () => {
    const id = freshId();
    const { name } = await activeName(server, { nodeId: id });
    await ping(id, { lat: 12, lng: 34 });
    await server.services.nodes.block({ nodeId: id, reason: 'It floods.', reviewer: 'test' });
    const page = await openPage(server, `/nodes/${id}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Blocked Reviewers have blocked this node.');
    expect(page.html).toContain(`href="/registry/${name}"`);
    expect(page.text).not.toMatch(/12\.0° N|Compute offers|First heartbeat|It floods/);
  });

  test('ids with a meaning in JavaScript are ordinary ids', async () => {
    for (const id of ['__proto__', 'constructor', 'toString', 'a'.repeat(64)]) {
      expect((await openPage(server, `/nodes/${id}`)).status).toBe(404);
      await ping(id);
      const page = await openPage(server, `/nodes/${id}`);
      expect({ id, status: page.status }).toEqual({ id, status: 200 });
    }
  });

  test('Genesis shows its health, at one URL', async () => {
    const page = await openPage(server, '/nodes/genesis');
    expect(page.status).toBe(200);
    expect(page.text).toContain('Not checked');
    expect(page.text).toContain('Heartbeats with the ID “genesis” are rejected');
    const { status, headers } = await openPage(server, '/nodes/GENESIS');
    expect([status, headers.get('location')]).toEqual([301, '/nodes/genesis']);
  });
});

test('the command has the header if a secret is configured', async () => {
  const guarded = await startTestServer({ env: { WEBHOOK_SECRET: 'a-secret-of-the-test' } });
  try {
    const { text, html } = await openPage(guarded, '/nodes/my_new_node');
    expect(text).toContain('-H "authorization: Bearer $WEBHOOK_SECRET"');
    expect(text).toContain('This server requires Authorization: Bearer with its shared secret.');
    expect(html).not.toContain('a-secret-of-the-test');
  } finally {
    await guarded.stop();
  }
});
