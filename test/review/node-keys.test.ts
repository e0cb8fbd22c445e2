import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reviewActions } from '#db/schema/index.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { activeName, aPing, freshId } from '../contract/contract.ts';
import { pin } from '../support/node-keys.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const reason = 'the disk broke; called back';

describe('a reviewer resets the key of a node', () => {
  const key = generateNodeKey();
  let server: TestServer;
  let cookie = '';
  beforeAll(async () => {
    server = await startTestServer({ env: { RATE_LIMITS: 'off' } });
    ({ cookie } = await signInReviewer(server.services));
  });
  afterAll(() => server.stop());

  const page = async (query = '') =>
    (await server.get(`/review/nodes${query}`, { headers: { cookie } })).text();
  const send = (nodeId: string, fields: Record<string, string> = {}, headers = {}) =>
    server.get('/review/nodes', {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: server.url, 'sec-fetch-site': 'same-origin', ...headers },
      body: new URLSearchParams({ intent: 'reset-key', nodeId, reason, ...fields }),
    });
  const pinned = async () => {
    const nodeId = freshId();
    await pin(server, nodeId, key);
    return nodeId;
  };
  const ping = (nodeId: string) => server.post('/api/mesh/ping', aPing({ nodeId }));

  test('with a reason that is in the history; the id is then free', async () => {
    const nodeId = await pinned();
    expect((await ping(nodeId)).status).toBe(401);
    expect(await page(`?node=${nodeId}`)).toContain(nodeKeyText(key));
    const answer = await send(nodeId);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `/review/nodes?node=${nodeId}`,
    ]);
    expect(await page(`?node=${nodeId}`)).toContain('has no pinned key');
    expect((await ping(nodeId)).status).toBe(201);
    const entries = await server.database.db
      .select()
      .from(reviewActions)
      .where(eq(reviewActions.subject, nodeId));
    expect(entries).toMatchObject([
      { actor: 'ada@example.org', action: 'node_key_reset', reason, subject: nodeId },
    ]);
    const history = await server.get('/review/history?event=node_key_reset', {
      headers: { cookie },
    });
    expect(await history.text()).toContain(nodeId);
  });

  test('sees the links for the operator until a new key has proved the registration, and pins that key', async () => {
    const nodeId = freshId();
    const { registration, identity } = server.services;
    const { id, name } = await activeName(server, { nodeId });
    await registration.claimByKey({ nodeId, id, key: nodeKeyText(key) });
    const answer = await send(nodeId);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `/review/nodes?node=${nodeId}`,
    ]);
    const [link] = (await identity.keysOf(nodeId)).renewed;
    const url = `${server.url}/register/${link?.secretId}`;
    const shown = await server.get(`/review/nodes?node=${nodeId}`, { headers: { cookie } });
    expect(shown.headers.get('cache-control')).toBe('no-store');
    const html = await shown.text();
    expect(html).toContain(url);
    expect(html).toContain(name);
    expect(html).not.toContain(id);
    expect((await server.get(new URL(url).pathname)).status).toBe(200);
    for (const path of ['/review/history', '/review/history.csv'])
      expect(await (await server.get(path, { headers: { cookie } })).text()).not.toContain(
        link?.secretId,
      );

    const next = nodeKeyText(generateNodeKey());
    await registration.claimByKey({ nodeId, id: link?.secretId ?? '', key: next });
    const proved = await page(`?node=${nodeId}`);
    expect(proved).toContain(next);
    expect(proved).not.toContain(link?.secretId);
    expect(identity.pinOf(nodeId)).toBeUndefined();
    const pinning = { intent: 'pin-key', key: next };
    expect((await send(nodeId, { ...pinning, reason: '' })).status).toBe(400);
    expect((await send(nodeId, { ...pinning, key: nodeKeyText(generateNodeKey()) })).status).toBe(
      409,
    );
    expect((await send(nodeId, pinning, { cookie: '' })).headers.get('location')).toMatch(
      /sign-in/,
    );
    expect(identity.pinOf(nodeId)).toBeUndefined();
    expect((await send(nodeId, pinning)).status).toBe(303);
    expect(identity.pinOf(nodeId)).toMatchObject({ key: next, source: 'review' });
    expect((await send(nodeId, pinning)).status).toBe(409);
    const entries = await server.database.db
      .select()
      .from(reviewActions)
      .where(eq(reviewActions.subject, nodeId));
    expect(entries.map(({ action }) => action).sort()).toEqual([
      'node_key_pinned',
      'node_key_reset',
    ]);
  });

  test('revokes a key that is not pinned, and leaves the pin and what others have proved', async () => {
    const nodeId = await pinned();
    const { registration, identity } = server.services;
    const own = await activeName(server, { nodeId });
    await registration.claimByKey({ nodeId, id: own.id, key: nodeKeyText(key) });
    const stranger = nodeKeyText(generateNodeKey());
    const revoke = { intent: 'revoke-key', key: stranger };
    expect((await send(nodeId, revoke)).status).toBe(303);
    expect((await send(nodeId, revoke)).status).toBe(409);
    expect((await send(nodeId, { ...revoke, key: 'not a key' })).status).toBe(400);
    expect(identity.pinOf(nodeId)?.key).toBe(nodeKeyText(key));
    expect(await registration.get(own.id)).toMatchObject({ nodeProved: true });
    await expect(
      registration.claimByKey({ nodeId, id: own.id, key: stranger }),
    ).rejects.toMatchObject({ code: 'signature_invalid' });
    expect(await page(`?node=${nodeId}`)).toContain(stranger);
  });

  test('once: another who does it at the same time is told', async () => {
    const nodeId = await pinned();
    const answers = await Promise.all([send(nodeId), send(nodeId)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    const late = await send(nodeId);
    expect(late.status).toBe(409);
    expect(await late.text()).toContain(`${nodeId} is pinned to no key.`);
  });

  test('not without a reason, a session, or from another site', async () => {
    const nodeId = await pinned();
    expect((await send(nodeId, { reason: ' ' })).status).toBe(400);
    expect((await send('not an id')).status).toBe(400);
    expect((await send(nodeId, {}, { cookie: '' })).headers.get('location')).toMatch(/sign-in/);
    expect((await send(nodeId, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await ping(nodeId)).status).toBe(401);
  });

  test('the metrics count pins and what was refused for them', async () => {
    const metrics = await (await server.get('/metrics')).text();
    const value = (name: string) =>
      Number(
        metrics
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1] ?? NaN,
      );
    expect(value('mesh_pinned_nodes')).toBe(server.services.identity.pins());
    expect(value('mesh_signatures_total{outcome="required"}')).toBeGreaterThanOrEqual(2);
  });
});
