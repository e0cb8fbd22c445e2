import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activeName, aCompute, aPing, freshId, getJson } from '../contract/contract.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openPage } from './page.ts';
import { revoke } from '../support/decisions.ts';

const clock = new FakeClock();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' }, clock: clock.read });
});
afterAll(() => server.stop());

const ping = (nodeId: string, fields = {}) =>
  server.post('/api/mesh/ping', aPing({ nodeId, ...fields }));
const announce = (nodeId: string, fields: Record<string, unknown>) =>
  server.post('/api/registry/computes', { nodeId, computes: [aCompute(fields)] });
/** Names in the rows of the list, in order. */
const listed = async (query: string) => {
  const { html } = await openPage(server, `/registry${query}`);
  return [...html.matchAll(/<th scope="row".*?>([^<]+)<\/a>/g)].map(([, name]) => name);
};

describe('/registry', () => {
  test('an empty registry says how to register a name', async () => {
    const { status, text, html } = await openPage(server, '/registry');
    expect(status).toBe(200);
    expect(text).toContain('0 active names');
    expect(text).toContain('No active names yet');
    expect(html).toContain('href="/docs/operators#register"');
  });

  test('search, kinds, state and order select rows, and the filters count them', async () => {
    const [north, south] = [freshId('North'), freshId('south')];
    await activeName(server, { name: 'alpha', nodeId: north, kinds: ['node'], label: 'Attic' });
    clock.advance(1000);
    await activeName(server, { name: 'beta', nodeId: south, label: 'Søren & co' });
    clock.advance(1000);
    await activeName(server, { name: 'gamma', nodeId: south, kinds: ['compute'] });
    await ping(north, { status: 'idle' });
    await ping(south);
    await announce(south, { name: 'gamma', freeSlots: 3, replicas: 8 });

    expect(await listed('')).toEqual(['alpha', 'beta', 'gamma']);
    expect(await listed('?sort=newest')).toEqual(['gamma', 'beta', 'alpha']);
    expect(await listed('?q=ALP')).toEqual(['alpha']);
    expect(await listed(`?q=${north.toLowerCase()}`)).toEqual(['alpha']);
    expect(await listed('?q=s%C3%B8ren')).toEqual(['beta']);
    expect(await listed('?kind=node')).toEqual(['alpha', 'beta']);
    expect(await listed('?kind=compute')).toEqual(['beta', 'gamma']);
    expect(await listed('?kind=both')).toEqual(['beta']);
    // The node's state, whatever the name is registered for.
    expect(await listed('?status=online')).toEqual(['beta', 'gamma']);
    expect(await listed('?status=idle')).toEqual(['alpha']);
    expect(await listed('?free=1')).toEqual(['gamma']);
    expect(await listed('?free=1&kind=both')).toEqual([]);
    expect(await listed('?region=NA')).toEqual(['alpha', 'beta', 'gamma']);
    expect(await listed('?region=EU')).toEqual([]);
    // Links of earlier releases.
    expect(await listed('?now=online')).toEqual(['beta', 'gamma']);
    expect(await listed('?now=available')).toEqual(['gamma']);
    // Unknown values count as absent.
    expect(await listed('?kind=x&status=y&free=2&region=e&sort=z&page=-2')).toEqual([
      'alpha',
      'beta',
      'gamma',
    ]);
    expect(await listed('?sort=-name')).toEqual(['gamma', 'beta', 'alpha']);
    expect(await listed('?sort=since')).toEqual(['alpha', 'beta', 'gamma']);
    expect(await listed('?sort=status')).toEqual(['beta', 'gamma', 'alpha']);
    // Names without a value come last, in both directions.
    expect(await listed('?sort=free')).toEqual(['gamma', 'alpha', 'beta']);
    expect(await listed('?sort=-free')).toEqual(['gamma', 'alpha', 'beta']);

    const { text } = await openPage(server, '/registry');
    expect(text).toContain('All 3 Node 2 Offer 2');
    expect(text).toContain('Node online 2 Slots free 1');
    expect(text).toMatch(/ online 3 free /);
    const chosen = await openPage(server, '/registry?free=1&q=a');
    expect(chosen.text).toContain('All 1 Node 0 Offer 1');
    expect(chosen.html).toContain('href="/registry?q=a&amp;kind=node&amp;free=1"');
    expect(chosen.html).toContain('<input type="hidden" name="free" value="1"/>');
  });

  test('the page and GET /api/registry show the same at every moment', async () => {
    for (const pass of [0, 60_000, 1, 300_000]) {
      clock.advance(pass);
      const { stats } = await getJson(server, '/api/registry');
      const { text } = await openPage(server, '/registry');
      expect(text).toContain(
        `${stats.active} active names, ${stats.nodesOnline} of their nodes online. `,
      );
    }
  });

  test('a search that finds nothing, whatever is in it, is shown as text', async () => {
    const q = '<b>"no\' & such</b>';
    const { text, html } = await openPage(server, `/registry?q=${encodeURIComponent(q)}`);
    expect(text).toContain('No matching names.');
    expect(text).toContain(q);
    expect(html).not.toContain('<b>');
  });

  test('kinds are signs with words for screen readers, and the newest names come first', async () => {
    for (const name of ['new-one', 'new-two', 'new-six']) {
      clock.advance(1000);
      await activeName(server, { name, kinds: ['node'] });
    }
    const { text, html } = await openPage(server, '/registry');
    expect(text).toMatch(/New this week new-six now new-two 1 s ago new-one 2 s ago /);
    expect(html).toContain('title="node and compute offer"');
  });

  test('the page gets of a name what its row shows, and no more', async () => {
    const nodeId = freshId();
    await activeName(server, { name: 'lean-one', nodeId, kinds: ['node', 'compute'] });
    clock.advance(1000);
    await ping(nodeId);
    await announce(nodeId, { name: 'lean-one' });
    clock.advance(1000);
    const { entries } = await getJson(server, '/api/registry');
    const entry = entries.find(({ name }: { name: string }) => name === 'lean-one');
    expect(entry.node.lastSeen).toBe(entry.compute.lastSeen);
    const { html } = await openPage(server, '/registry?q=lean-one');
    expect(html).toContain(entry.activatedAt);
    expect(html).not.toContain(entry.node.lastSeen);
  });

  test('more than 50 names are split into pages', async () => {
    // All at once, a busy machine would refuse some of them.
    const names = Array.from({ length: 101 }, (_, n) => `many-${String(n).padStart(3, '0')}`);
    for (let n = 0; n < names.length; n += 10)
      await Promise.all(
        names.slice(n, n + 10).map((name) => activeName(server, { name, kinds: ['node'] })),
      );
    const [first, second, third, beyond] = await Promise.all(
      ['', '&page=2', '&page=3', '&page=99'].map((page) => listed(`?q=many${page}`)),
    );
    expect([first, second, third].map((page) => page?.length)).toEqual([50, 50, 1]);
    expect(new Set([first, second, third].flat()).size).toBe(101);
    expect(beyond).toEqual(third);
    const { text, html } = await openPage(server, '/registry?q=many&kind=node');
    expect(text).toContain('1–50 of 101');
    expect(html).toContain('href="/registry?q=many&amp;kind=node&amp;page=2"');
  });
});

describe('/registry/:name', () => {
  test('a name shows its node and its compute, and what a link to it shows elsewhere', async () => {
    const nodeId = freshId();
    await activeName(server, { name: 'garage', nodeId, label: 'My', region: 'EU' });
    const before = await openPage(server, '/registry/garage');
    expect(before.text).toContain('haven’t heard from this node yet');
    expect(before.text).toContain('hasn’t announced a compute offer named garage yet');
    await ping(nodeId, { status: 'syncing' });
    await announce(nodeId, { name: 'garage', image: 'ghcr.io/a/b:1', freeSlots: 3, replicas: 8 });
    const page = await openPage(server, '/registry/garage');
    expect(page.status).toBe(200);
    expect(page.text).toContain(`Node Syncing ${nodeId} , last heartbeat now`);
    expect(page.text).toContain(
      'Compute offer 3 slots free 8 replicas of ghcr.io/a/b:1 , announced now',
    );
    expect(page.html).toContain(`href="/nodes/${nodeId}"`);
    expect(page.title).toMatch(/^garage/);
    expect(page.meta('og:url')).toBe(`${server.url}/registry/garage`);
    expect(page.meta('og:description')).toContain('Current state: 3 free slots.');
    expect(page.meta('robots')).toBeNull();
    expect(page.text).toContain(
      `[![garage on Mesh Registry](${server.url}/registry/garage/badge.svg)](${server.url}/registry/garage)`,
    );
  });

  test('the list, and the pages of a name and of its node, say what was registered where the node says something else', async () => {
    const nodeId = freshId();
    const { name } = await activeName(server, { nodeId, class: 'L', region: 'EU' });
    await ping(nodeId, { class: 'S', region: 'EU' });
    expect((await openPage(server, `/registry/${name}`)).text).toContain('Registered as class L ');
    expect((await openPage(server, `/nodes/${nodeId}`)).text).toContain(
      `Registered as ${name}: class L `,
    );
    expect((await openPage(server, `/registry?q=${name}`)).html).toContain(
      'title="Registered as class L"',
    );
    await ping(nodeId, { class: 'L', region: 'EU' });
    for (const path of [`/registry/${name}`, `/nodes/${nodeId}`, `/registry?q=${name}`])
      expect((await openPage(server, path)).html).not.toContain('Registered as');
  });

  test('uppercase letters redirect to the one URL of a name', async () => {
    const { status, headers } = await openPage(server, '/registry/GaRage');
    expect([status, headers.get('location')]).toEqual([301, '/registry/garage']);
  });

  test('a name that is not active is a 404 that says whether it is available', async () => {
    await server.post('/api/registry/register', {
      action: 'start',
      name: 'pending',
      nodeId: 'node_p',
      kinds: ['node'],
    });
    for (const [name, answer] of [
      ['nobodys', 'This name is available'],
      ['pending', 'This name is taken, but not active yet'],
      ['admin', 'This name is reserved'],
      ['_x', 'This isn’t a valid name'],
      ['__proto__', 'This isn’t a valid name'],
      ['%3Cscript%3Ealert(1)', 'This isn’t a valid name'],
      ['a%2Fb', 'This isn’t a valid name'],
      ['%E2%84%AAelvin', 'This isn’t a valid name'],
      ['x'.repeat(3000), 'This isn’t a valid name'],
    ] as const) {
      const page = await openPage(server, `/registry/${name}`);
      expect({ name, status: page.status }).toEqual({ name, status: 404 });
      expect(page.text).toContain(answer);
      expect(page.meta('robots')).toBe('noindex');
      expect(page.html).not.toContain('<script>alert');
      // Nothing beyond what is public.
      expect(page.text).not.toMatch(/node_p|reg_/);
    }
  });

  test('a name that lost its activation keeps a page that says what it was', async () => {
    const { id, name } = await activeName(server);
    const { registration } = server.services;
    expect(registration.mayBeFormer(name)).toBe(false);
    expect((await openPage(server, `/registry/${name}`)).status).toBe(200);
    await revoke(server.services, { id, reviewer: 'ada', reason: 'a test' });
    const page = await openPage(server, `/registry/${name}`);
    expect(page.status).toBe(200);
    expect(page.meta('robots')).toBe('noindex');
    expect(page.text).toMatch(
      /No longer active It was the name of a node and a compute offer from/,
    );
    // Neither who had it nor why it ended.
    expect(page.text).not.toContain('a test');
    // Of any other name no query is made. A start reads which were active.
    expect(registration.mayBeFormer(name)).toBe(true);
    expect(registration.mayBeFormer(`${name}-x`)).toBe(false);
    const { FormerNames } = await import('#server/registration/former-names.ts');
    const started = new FormerNames(server.services.context);
    await started.load();
    expect([name, `${name}-x`].map((name) => started.has(name))).toEqual([true, false]);
  });
});

describe('/registry/:name/badge.svg', () => {
  const badge = (name: string, init?: RequestInit) =>
    server.get(`/registry/${name}/badge.svg`, init);
  const says = async (name: string) =>
    /<title>(.*?)<\/title>/.exec(await (await badge(name)).text())?.[1];

  test('it shows the best current state, and changes as that ages', async () => {
    const nodeId = freshId();
    const { name } = await activeName(server, { nodeId });
    expect(await says(name)).toBe(`${name}: offline`);
    await ping(nodeId, { status: 'idle' });
    expect(await says(name)).toBe(`${name}: idle`);
    await announce(nodeId, { name, freeSlots: 3, replicas: 8 });
    expect(await says(name)).toBe(`${name}: 3 free slots`);
    await announce(nodeId, { name, freeSlots: 12, replicas: 8 });
    expect(await says(name)).toBe(`${name}: 12 free slots`);
    await announce(nodeId, { name, freeSlots: 0, replicas: 8 });
    expect(await says(name)).toBe(`${name}: busy`);
    clock.advance(300_001);
    expect(await says(name)).toBe(`${name}: offline`);
    await ping(nodeId);
    expect(await says(name)).toBe(`${name}: online`);
  });

  test('others show the uptime of 30 days and the free slots; the list and the page say the same', async () => {
    const nodeId = freshId();
    const { name } = await activeName(server, { nodeId });
    const other = async (show: string) => {
      const svg = await (await server.get(`/registry/${name}/badge.svg?show=${show}`)).text();
      return /<title>(.*?)<\/title>/.exec(svg)?.[1];
    };
    expect(await other('uptime')).toBe(`${name} uptime, 30 days: no data yet`);
    expect(await other('slots')).toBe(`${name} free slots: no compute offer`);
    const quarters = async (n: number) => {
      for (let noted = 0; noted < n * 20; noted++) {
        await server.services.uptime.tick();
        clock.advance(45_000);
      }
      await server.services.uptime.tick();
    };
    await quarters(1);
    await ping(nodeId);
    await announce(nodeId, { name, freeSlots: 76, replicas: 1 });
    expect(await other('slots')).toBe(`${name} free slots: 76`);
    await quarters(3);
    expect(await other('slots')).toBe(`${name} free slots: offline`);
    const [, share] = /uptime, 30 days: ([\d.]+)%$/.exec((await other('uptime')) ?? '') ?? [];
    expect(Number(share)).toBeGreaterThan(20);
    expect(Number(share)).toBeLessThan(60);
    const list = await openPage(server, `/registry?q=${name}`);
    expect(list.text).toMatch(new RegExp(` ${share}% `));
    const page = await openPage(server, `/registry/${name}`);
    expect(page.text).toMatch(new RegExp(`Uptime of its node since \\d+ \\w{3} ${share}% ,`));
    expect(page.text).toContain(`/registry/${name}/badge.svg?show=uptime)](`);
    // Anything else is the status.
    expect(await other('everything')).toBe(`${name}: offline`);
  });

  test('an invalid name gets a badge too, without the requested text', async () => {
    expect(await says('nobodys')).toBe('nobodys: not registered');
    expect(await says('NoBodys')).toBe('nobodys: not registered');
    for (const name of ['%3Cscript%3E', '__proto__', '%00', 'a%2Fb']) {
      const answer = await badge(name);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('<title>invalid name: not registered</title>');
    }
  });

  test('any site can show it; it is cached for a minute and contains no script, style or address', async () => {
    const answer = await badge('nobodys');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': 'public, max-age=60',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
    const svg = await answer.text();
    expect(svg).not.toMatch(/<script|<style|style=|href|https?:\/\/(?!www\.w3\.org\/2000\/svg")/);
    const etag = answer.headers.get('etag') ?? '';
    const again = await badge('nobodys', { headers: { 'if-none-match': etag.replace('W/', '') } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('it answers HEAD and OPTIONS, and no other method', async () => {
    const head = await badge('nobodys', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await badge('nobodys', { method: 'OPTIONS' })).status).toBe(204);
    const refused = await badge('nobodys', { method: 'POST', body: 'x' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});
