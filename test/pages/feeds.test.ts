import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outages } from '#db/schema/index.ts';
import { activeName, aPing } from '../contract/contract.ts';
import { revoke } from '../support/decisions.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openPage } from './page.ts';

const clock = new FakeClock();
const MINUTE = 60_000;
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    env: { PUBLIC_URL: 'https://mesh.example', RATE_LIMITS: 'off' },
    clock: clock.read,
  });
});
afterAll(() => server.stop());

const feed = async (path: string, init?: RequestInit) => {
  const response = await server.get(path, init);
  const xml = await response.text();
  return { status: response.status, headers: response.headers, xml, ...partsOf(xml) };
};

/** The texts of a feed. Throws where RFC 4287 asks for an element that is not there. */
function partsOf(xml: string) {
  const all = (within: string, name: string) =>
    [...within.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text]) => text);
  const [head = '', ...entries] = xml.split('<entry>');
  return {
    updated: all(head, 'updated')[0],
    ids: all(xml, 'id'),
    entries: entries.map((entry) => ({
      title: all(entry, 'title')[0],
      updated: all(entry, 'updated')[0],
    })),
  };
}

const ping = (nodeId: string, fields = {}) =>
  server.post('/api/mesh/ping', aPing({ nodeId, ...fields }));

/** As the watching server records it. */
async function outage(nodeId: string, minutesAgo: number, lastedMinutes: number | null) {
  const since = clock.read() - minutesAgo * MINUTE;
  const backAt = lastedMinutes === null ? null : new Date(since + lastedMinutes * MINUTE);
  const offlineSince = new Date(since);
  const row = { nodeId, offlineSince, measuredSince: offlineSince, backAt };
  await server.database.db.insert(outages).values(row);
  return row;
}

describe('Atom feeds', () => {
  test('new names, the newest first, valid and found by readers', async () => {
    expect((await feed('/registry/feed.atom')).entries).toEqual([]);
    for (const name of ['alpha', 'beta']) {
      clock.advance(MINUTE);
      await activeName(server, { name, nodeId: `node_${name}`, label: 'R&D 1' });
    }
    const { status, headers, xml, entries, updated, ids } = await feed('/registry/feed.atom');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(entries.map(({ title }) => title)).toEqual(['beta: R&amp;D 1', 'alpha: R&amp;D 1']);
    expect(updated).toBe(entries[0]?.updated);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^tag:mesh\.example,2026:\S+$/);
    expect(xml).toContain(
      '<link rel="self" type="application/atom+xml" href="https://mesh.example/registry/feed.atom"/>',
    );
    expect(xml).toContain('<author><name>');

    const etag = headers.get('etag') ?? '';
    const again = await feed('/registry/feed.atom', { headers: { 'if-none-match': etag } });
    expect([again.status, again.xml]).toEqual([304, '']);
    const { html } = await openPage(server, '/registry');
    expect(html).toContain(
      '<link rel="alternate" type="application/atom+xml" title="New names" href="/registry/feed.atom"/>',
    );
    expect(html).toContain('href="/registry/feed.atom"');
  });

  test('a node: when it went offline and came back', async () => {
    await ping('node_shed', { label: 'Shed' });
    await outage('node_shed', 300, 60);
    const last = await outage('node_shed', 30, null);
    const { entries } = await feed('/nodes/node_shed/feed.atom');
    expect(entries.map(({ title }) => title)).toEqual([
      'Shed (node_shed) is offline',
      'Shed (node_shed) is back online',
      'Shed (node_shed) is offline',
    ]);
    expect(entries[0]?.updated).toBe(last.offlineSince.toISOString());
    const { html } = await openPage(server, '/nodes/node_shed');
    expect(html).toContain('title="Shed" href="/nodes/node_shed/feed.atom"');
    expect(await (await server.get('/nodes/never_seen/feed.atom')).json()).toMatchObject({
      code: 'not_found',
    });
  });

  test('a name: activated, its outages meanwhile, no longer active', async () => {
    await ping('node_barn');
    await outage('node_barn', 1, null);
    clock.advance(10 * MINUTE);
    const { id } = await activeName(server, { name: 'barn', nodeId: 'node_barn' });
    clock.advance(60 * MINUTE);
    await outage('node_barn', 40, 10);
    const titles = async () =>
      (await feed('/registry/barn/feed.atom')).entries.map(({ title }) => title);
    expect(await titles()).toEqual([
      'barn (node_barn) is back online',
      'barn (node_barn) is offline',
      'barn is active',
    ]);
    await revoke(server.services, { id, reviewer: 'ada', reason: 'not for the public' });
    const { xml } = await feed('/registry/barn/feed.atom');
    expect((await titles())[0]).toBe('barn is no longer active');
    for (const secret of ['not for the public', 'ada', id]) expect(xml).not.toContain(secret);
    expect((await server.get('/registry/nobody/feed.atom')).status).toBe(404);
  });

  test('other methods and spellings are refused as everywhere', async () => {
    expect((await server.post('/registry/feed.atom', {})).status).toBe(405);
    expect((await server.get('/registry/Feed.atom')).status).toBe(404);
  });
});
