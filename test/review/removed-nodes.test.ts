import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeDays, reviewActions } from '#db/schema/index.ts';
import { activeName, aCompute, aPing, freshId, getJson, type Json } from '../contract/contract.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const DAY = 86_400_000;
const reason = 'load test of last week';

describe('nodes that a reviewer removes', () => {
  let server: TestServer;
  let cookie = '';
  const clock = new FakeClock();
  beforeAll(async () => {
    server = await startTestServer({ clock: clock.read, env: { RATE_LIMITS: 'off' } });
    ({ cookie } = await signInReviewer(server.services));
  });
  afterAll(() => server.stop());

  const ping = async (nodeId: string, fields = {}) =>
    expect((await server.post('/api/mesh/ping', aPing({ nodeId, ...fields }))).ok).toBe(true);
  const ids = async (): Promise<string[]> =>
    (await getJson(server, '/api/mesh')).peers.map(({ id }: Json) => id).sort();
  const page = async (query: string) =>
    (await server.get(`/review/nodes?${query}`, { headers: { cookie } })).text();
  /** Sends the form as the page has it. */
  const send = (fields: Record<string, string>) =>
    server.get('/review/nodes', {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: server.url, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ intent: 'remove', reason, ...fields }),
    });

  test('are those that match, in any case of letters, and the form says how many', async () => {
    const tag = freshId('tag').toLowerCase();
    const [a, b, labelled, other] = [`${tag}-a`, `${tag}-B`, freshId('x'), freshId('y')];
    await ping(a);
    await ping(b);
    await ping(labelled, { label: `${tag} three` });
    await ping(other);
    await server.post('/api/registry/computes', { nodeId: a, computes: [aCompute()] });
    const html = await page(`match=${tag.toUpperCase()}*`);
    expect(html).toContain('3 nodes match');
    expect(html).toMatch(/<button[^>]*>Remove 3 nodes<\/button>/);

    const response = await send({ match: `${tag}*`, silentSince: '', expected: '3' });
    expect(response.headers.get('location')).toBe('/review/nodes?removed=3');
    expect(await page('removed=3')).toContain('3 nodes were removed.');
    expect(await ids()).toEqual([other]);
    expect(server.services.computes.ofNode(a)).toEqual([]);
    const { db } = server.database;
    const entries = await db
      .select()
      .from(reviewActions)
      .where(eq(reviewActions.action, 'node_removed'));
    expect(entries.map(({ subject }) => subject).sort()).toEqual([a, b, labelled].sort());
    for (const entry of entries) expect(entry).toMatchObject({ actor: 'ada@example.org', reason });
    const history = await server.get('/review/history?event=node_removed', { headers: { cookie } });
    expect(await history.text()).toContain(labelled);
    expect(await db.select().from(nodeDays)).toEqual([]);
    await send({ match: other, silentSince: '', expected: '1' });
  });

  test('are not more than the reviewer saw', async () => {
    await ping('late-1');
    expect(await page('match=late-*')).toContain('1 node matches');
    await ping('late-2');
    const response = await send({ match: 'late-*', silentSince: '', expected: '1' });
    expect(response.status).toBe(409);
    expect(await response.text()).toContain('2 nodes match now, instead of 1.');
    expect(await ids()).toEqual(['late-1', 'late-2']);
    await send({ match: 'late-*', silentSince: '', expected: '2' });
    expect(await ids()).toEqual([]);
  });

  test('are those that were silent since a day, and nothing that was heard of meanwhile', async () => {
    await ping('old-1');
    await ping('old-2');
    clock.advance(3 * DAY);
    await ping('old-new');
    const silentSince = clock.iso(-DAY).slice(0, 10);
    expect(await page(`silent=${silentSince}`)).toContain('2 nodes match');
    await ping('old-2');
    await send({ match: '', silentSince, expected: '2' });
    expect(await ids()).toEqual(['old-2', 'old-new']);
    await send({ match: 'old-*', silentSince: '', expected: '2' });
  });

  test('with an active name stay, unless their whole id is given', async () => {
    await ping('named-1');
    await ping('named-2');
    const { name } = await activeName(server, { nodeId: 'named-1' });
    const html = await page('match=named-*');
    expect(html).toContain('1 node matches');
    expect(html).toContain('1 more matches but has an active name');
    await send({ match: 'named-*', silentSince: '', expected: '1' });
    expect(await ids()).toEqual(['named-1']);
    await send({ match: 'named-1', silentSince: '', expected: '1' });
    expect(await ids()).toEqual([]);
    const { entries } = await getJson(server, '/api/registry');
    expect(entries.find((entry: Json) => entry.name === name)).toMatchObject({ node: null });
  });

  test('need a reviewer, a reason and a match', async () => {
    await ping('stays');
    const api = (body: object, headers = {}) =>
      server.post('/api/trpc/review.nodes.remove', body, { headers });
    const input = { match: 'stays', silentSince: '', expected: 1, reason };
    const sameOrigin = { origin: server.url, 'sec-fetch-site': 'same-origin' };
    const own = { cookie, ...sameOrigin };
    expect((await api(input, sameOrigin)).status).toBe(401);
    expect((await api(input, { cookie })).status).toBe(403);
    expect((await api({ ...input, reason: ' ' }, own)).status).toBe(400);
    expect((await api({ ...input, silentSince: '2026-13-01' }, own)).status).toBe(400);
    expect((await api({ ...input, match: '' }, own)).status).toBe(404);
    expect((await api({ ...input, match: 'nobody' }, own)).status).toBe(404);
    expect(await ids()).toEqual(['stays']);
    expect((await api(input, own)).status).toBe(200);
  });
});
