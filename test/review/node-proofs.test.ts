import type { KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { signNodeProof } from '@mesh-registry/protocol/keys/node-signature.ts';
import { activeName, aPing, expectError, freshId } from '../contract/contract.ts';
import { openPage } from '../pages/page.ts';
import { PAID_OTHERWISE } from '../support/decisions.ts';
import { importPayment } from '../support/payments.ts';
import { sendSigned } from '../support/node-keys.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { registered, trpcOf } from './support.ts';

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await startTestServer();
  ({ cookie } = await signInReviewer(server.services));
});
afterAll(() => server.stop());

/** A heartbeat of the node that this key signs. */
async function beat(nodeId: string, key: KeyObject) {
  const sent = { key, now: server.services.context.clock(), body: aPing({ nodeId }) };
  expect((await sendSigned(server, '/api/mesh/ping', sent)).ok).toBe(true);
}

const page = async (path: string) => (await openPage(server, path, { headers: { cookie } })).text;

test('reviewers see in queue, panel, page, list and history what a key has proved, and the notices', async () => {
  const nodeId = freshId();
  const { name } = await activeName(server, { nodeId });
  const proved = await registered(server.services, 'proved', { nodeId });
  await registered(server.services, 'plain');
  const key = generateNodeKey();
  await beat(nodeId, key);
  await server.services.registration.claimByKey({ id: proved.id, nodeId, key: nodeKeyText(key) });
  const queue = await page('/review');
  expect(queue).toMatch(/proved 1 warning MESH-proved-.* node, proved by its key/);
  expect(queue.match(/proved by its key/g)).toHaveLength(1);
  // Warnings come first.
  const details = new RegExp(
    `The node already has the active name “${name}”\\. .*Proved by the node’s key`,
  );
  expect(await page(`/review?open=${proved.note}`)).toMatch(details);
  const registration = await page(`/review/registrations/${proved.note}`);
  expect(registration).toMatch(details);
  expect(registration).toMatch(/Payment reported by the operator .* Proved by the node’s key/);
  expect(await page('/review/registrations?q=plain')).not.toContain('proved by its key');
  expect(await page('/review/registrations?q=proved')).toContain('proved by its key');
  const history = await page('/review/history?event=proved');
  expect(history).toContain(proved.note);
  expect(await page('/review/history?event=corrected')).not.toContain(proved.note);
  for (const text of [queue, registration, history]) expect(text).not.toContain(proved.id);
});

test('the typed API takes proofs as REST does', async () => {
  const key = generateNodeKey();
  const trpc = trpcOf(server, null);
  const { nodeId, name } = { nodeId: freshId(), name: freshId('name') };
  const network = server.url;
  const proof = signNodeProof({ action: 'start', network, name, nodeId }, key);
  await beat(nodeId, key);
  const start = { name, nodeId, proof };
  const started = await trpc.registry.start.mutate({ ...start, kinds: ['node'] });
  expect(started).toMatchObject({ nodeProved: true, notices: [] });
  const { id } = started;
  await trpc.registry.confirm.mutate({ id });
  const cancel = () => server.post('/api/trpc/registry.cancel', { id });
  expect((await (await cancel()).json()).error.data).toMatchObject({ code: 'signature_required' });
  const cancelling = signNodeProof({ action: 'cancel', network, name, nodeId, id }, key);
  expect(await trpc.registry.cancel.mutate({ id, proof: cancelling })).toMatchObject({
    status: 'rejected',
  });
  await expectError(
    server,
    await server.post('/api/registry/register', { action: 'confirm', id }),
    409,
    'invalid_state',
  );
});

describe('attack: a stranger proves a registration of a node whose heartbeats another key signs', () => {
  const stranger = generateNodeKey();
  const owner = generateNodeKey();
  /** It is waiting for review. */
  async function proved(name: string) {
    const registration = await registered(server.services, name);
    const nodeId = `node_${name}`;
    await beat(nodeId, owner);
    const { id } = registration;
    await server.services.registration.claimByKey({ id, nodeId, key: nodeKeyText(stranger) });
    return { ...registration, nodeId };
  }
  const statusOf = async (id: string) => (await server.services.registration.get(id)).status;
  /** What a browser without scripts sends. */
  const send = (note: string, fields: Record<string, string>) =>
    server.get(`/review?index=&open=${note}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ intent: 'accept', note, reason: PAID_OTHERWISE, ...fields }),
      headers: { cookie, origin: server.url },
    });

  test('the page names the notice and asks; without the tick it is not accepted, with it it is', async () => {
    const { id, note } = await proved('asked');
    expect(await page('/review')).toMatch(
      /asked 1 warning MESH-asked-\w+ not in an import yet reported now online 1 warning node/,
    );
    for (const path of [`/review?open=${note}`, `/review/registrations/${note}`]) {
      const text = await page(path);
      expect(text).toMatch(
        /The heartbeats of this node are signed by another key.*Not proved by the node’s key/,
      );
      expect(text).toContain('I have checked this, and accept nevertheless: The heartbeats');
    }
    const refused = await send(note, {});
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain('say that you accept the registration nevertheless');
    expect(await statusOf(id)).toBe('pending_review');
    expect((await send(note, { despiteNotices: 'true' })).status).toBe(303);
    expect(await statusOf(id)).toBe('active');
  });

  test('the page doesn’t ask once the node signs with the key', async () => {
    const { id, nodeId, note } = await registered(server.services, 'own').then((registration) => ({
      ...registration,
      nodeId: 'node_own',
    }));
    const key = nodeKeyText(stranger);
    await server.services.registration.claimByKey({ id, nodeId, key });
    expect(await page(`/review?open=${note}`)).toContain('This node has never sent a heartbeat');
    await beat(nodeId, stranger);
    const text = await page(`/review?open=${note}`);
    expect(text).toContain('Proved by the node’s key');
    expect(text).not.toContain('accept nevertheless');
    expect((await send(note, {})).status).toBe(303);
  });

  test('the typed API refuses it without despiteNotices; several together leave it out', async () => {
    const { id, note, name } = await proved('typed');
    const trpc = trpcOf(server, cookie);
    const decision = { note, decision: 'accept' } as const;
    await expect(trpc.review.queue.decide.mutate(decision)).rejects.toMatchObject({
      data: { code: 'invalid_state', issues: [{ path: 'despiteNotices' }] },
    });
    await importPayment(server, note);
    const { review } = server.services;
    expect((await review.paidAndWaiting()).leftOut).toEqual([{ name, note, why: 'notice' }]);
    await review.acceptTogether([note], 'ada');
    expect(await review.acceptOutcomes([note])).toMatchObject([
      { status: 'pending_review', leftOut: 'notice' },
    ]);
    await trpc.review.queue.decide.mutate({ ...decision, despiteNotices: true });
    expect(await statusOf(id)).toBe('active');
  });
});
