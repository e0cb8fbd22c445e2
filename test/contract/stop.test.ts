import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase } from '../support/databases.ts';
import { startTestServer } from '../support/server.ts';

const MINUTE_MS = 60_000;
const SENDERS = 20;

const database = await createTestDatabase();
afterAll(() => database.drop());

test('a server that stops under load has stored every heartbeat that it acknowledged, and counted it', async () => {
  const env = { ...database.env, RATE_LIMITS: 'off' };
  const minute = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const clock = () => minute + 1000;
  const server = await startTestServer({ env, clock });
  const acknowledged: string[] = [];
  let refused = 0;
  const send = async (sender: number) => {
    for (let n = 0; refused === 0; n++) {
      const nodeId = `node_${sender}_${n}`;
      const reply = await server
        .post('/api/mesh/ping', { nodeId, lat: 52.5, lng: 13.4 })
        .catch(() => null);
      if (reply?.ok) acknowledged.push(nodeId);
      else refused++;
    }
  };
  const senders = Array.from({ length: SENDERS }, (_, sender) => send(sender));
  while (acknowledged.length < 200) await sleep(10);
  await server.stop();
  await Promise.all(senders);

  const next = await startTestServer({ env, clock: () => minute + MINUTE_MS + 1000 });
  try {
    const { peers } = (await (await next.get('/api/mesh')).json()) as { peers: { id: string }[] };
    const stored = new Set(peers.map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    const { heartbeats } = await next.services.status.summary();
    // The last ones may have been stored without an answer.
    expect(heartbeats).toMatchObject({
      minute: new Date(minute).toISOString(),
      pings: stored.size,
    });
  } finally {
    await next.stop();
  }
});
