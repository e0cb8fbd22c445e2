import type { KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { signNodeProof } from '@mesh-registry/protocol/keys/node-signature.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { accept } from '../support/decisions.ts';
import { rotationTo, sendSigned } from '../support/node-keys.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { aStart, eventually, expectError, freshId, postJson, type Json } from './contract.ts';

const REGISTER = '/api/registry/register';

/** For a second, until it has read them, a server does not know the pins that another one has made. */
describe('attack: a server is asked that does not know the pin yet', () => {
  let database: TestDatabase;
  let one: TestServer;
  let other: TestServer;
  beforeAll(async () => {
    database = await createTestDatabase();
    const start = () => startTestServer({ env: { ...database.env, RATE_LIMITS: 'off' } });
    [one, other] = [await start(), await start()];
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await database.drop();
  });

  /** A registration that a key has proved, and whose payment is reported. */
  const registered = async (nodeId: string, key: KeyObject): Promise<Json> => {
    const body = aStart({ nodeId });
    const { name } = body;
    const proof = signNodeProof({ action: 'start', network: one.url, name, nodeId }, key);
    const { id } = await postJson(one, REGISTER, { ...body, proof }, 201);
    return postJson(one, REGISTER, { action: 'confirm', id }, 200);
  };
  const acceptIt = ({ id }: Json) => accept(one.services, { id, reviewer: 'ada@example.org' });
  const isPinned = (at: TestServer, nodeId: string, key: KeyObject) =>
    eventually(() => at.services.identity.pinOf(nodeId)?.key, nodeKeyText(key));
  const cancelByLink = async (id: string) =>
    expectError(
      other,
      await other.post(REGISTER, { action: 'cancel', id }),
      401,
      'signature_required',
    );

  test('whoever has the link of an active name proves it by no other key than the pinned one', async () => {
    const [nodeId, key] = [freshId(), generateNodeKey()];
    const { id, name } = await registered(nodeId, key);
    await acceptIt({ id });
    const claimed = await sendSigned(other, `/api/mesh/nodes/${nodeId}/registrations`, {
      body: { id },
      key: generateNodeKey(),
      now: Date.now(),
    });
    await expectError(other, claimed, 409, 'invalid_state');
    await cancelByLink(id);
    await isPinned(other, nodeId, key);
    const { proving } = await other.services.identity.keysOf(nodeId);
    expect(proving).toMatchObject([{ key: nodeKeyText(key), names: [{ name }] }]);
    await cancelByLink(id);
  });

  test('the link alone does not end what the key that has replaced the pinned one proves', async () => {
    const [nodeId, key, next] = [freshId(), generateNodeKey(), generateNodeKey()];
    const { id } = await registered(nodeId, key);
    await acceptIt({ id });
    await isPinned(other, nodeId, key);
    const rotated = await sendSigned(one, `/api/mesh/nodes/${nodeId}/key`, {
      method: 'PUT',
      body: rotationTo(next, { network: one.url, nodeId, previous: key, now: Date.now() }),
      key,
      now: Date.now(),
    });
    expect(rotated.status).toBe(200);
    await cancelByLink(id);
    await isPinned(other, nodeId, next);
    await cancelByLink(id);
  });
});
