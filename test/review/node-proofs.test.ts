import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { signNodeProof } from '@mesh-registry/protocol/keys/node-signature.ts';
import { activeName, expectError, freshId } from '../contract/contract.ts';
import { openPage } from '../pages/page.ts';
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

const page = async (path: string) => (await openPage(server, path, { headers: { cookie } })).text;

test('reviewers see in queue, panel, page, list and history what a key has proved, and the notices', async () => {
  const nodeId = freshId();
  const { name } = await activeName(server, { nodeId });
  const proved = await registered(server.services, 'proved', { nodeId });
  await registered(server.services, 'plain');
  await server.services.registration.claimByKey({
    id: proved.id,
    nodeId,
    key: nodeKeyText(generateNodeKey()),
  });
  const queue = await page('/review');
  expect(queue).toMatch(/proved by its key 1 notice/);
  expect(queue.match(/proved by its key/g)).toHaveLength(1);
  const details = `Proved by the node’s key The node already has the active name “${name}”.`;
  expect(await page(`/review?open=${proved.note}`)).toContain(details);
  const registration = await page(`/review/registrations/${proved.note}`);
  expect(registration).toContain(details);
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
