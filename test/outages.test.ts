import { asc } from 'drizzle-orm';
import { afterEach, expect, test } from 'vitest';
import { outages } from '#db/schema/index.ts';
import { aPing, eventually } from './contract/contract.ts';
import { createTestDatabase } from './support/databases.ts';
import { FakeClock } from './support/fake-clock.ts';
import { startTestServer, type TestServer } from './support/server.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function setUp() {
  const database = await createTestDatabase();
  stops.push(() => database.drop());
  const clock = new FakeClock();
  const start = async () => {
    const env = database.env;
    const server = await startTestServer({
      clock: clock.read,
      env: { ...env, RATE_LIMITS: 'off' },
    });
    stops.push(() => server.stop());
    await server.services.outages.round();
    return server;
  };
  return { clock, start };
}

const ping = (server: TestServer, nodeId: string) =>
  server.post('/api/mesh/ping', aPing({ nodeId }));

/** Lets time pass as the watching server sees it, with a heartbeat of these nodes in each round. */
async function pass(server: TestServer, clock: FakeClock, ms: number, alive: string[] = []) {
  for (let passed = 0; passed < ms; passed += 15 * SECOND) {
    clock.advance(15 * SECOND);
    for (const nodeId of alive) await ping(server, nodeId);
    await server.services.outages.round();
  }
}

const stored = ({ database }: TestServer) =>
  database.db.select().from(outages).orderBy(asc(outages.nodeId), asc(outages.offlineSince));

test('five minutes of silence are one outage, from the last heartbeat to the next', async () => {
  const { clock, start } = await setUp();
  const server = await start();
  await ping(server, 'node_a');
  const offlineSince = new Date(clock.read());
  await pass(server, clock, 4.5 * MINUTE);
  expect(await stored(server)).toEqual([]);
  await pass(server, clock, 3 * MINUTE);
  expect(await stored(server)).toMatchObject([{ nodeId: 'node_a', offlineSince, backAt: null }]);

  await ping(server, 'node_a');
  const backAt = new Date(clock.read());
  await server.services.outages.round();
  await pass(server, clock, MINUTE, ['node_a']);
  expect(await stored(server)).toMatchObject([{ nodeId: 'node_a', offlineSince, backAt }]);
});

test('what happened while the service was away is no outage of a node', async () => {
  const { clock, start } = await setUp();
  const first = await start();
  await ping(first, 'node_a');
  await ping(first, 'node_b');
  await first.stop();
  clock.advance(60 * MINUTE);
  const second = await start();
  await pass(second, clock, 4.5 * MINUTE, ['node_a']);
  expect(await stored(second)).toEqual([]);
  await pass(second, clock, MINUTE, ['node_a']);
  const [outage, ...others] = await stored(second);
  expect(others).toEqual([]);
  // Silent since before, but that counts only from when it could be heard.
  expect(outage?.nodeId).toBe('node_b');
  expect(outage?.measuredSince.getTime()).toBeGreaterThan(
    (outage?.offlineSince.getTime() ?? 0) + 59 * MINUTE,
  );
});

test('if all of ten nodes fall silent together, it is the service that hears nobody', async () => {
  const { clock, start } = await setUp();
  const server = await start();
  const nodes = Array.from({ length: 10 }, (_, n) => `node_${n}`);
  await pass(server, clock, MINUTE, nodes);
  await pass(server, clock, 30 * MINUTE);
  expect(await stored(server)).toEqual([]);
  // Nine are heard again. The tenth gets five minutes from then on.
  await pass(server, clock, 4.5 * MINUTE, nodes.slice(1));
  expect(await stored(server)).toEqual([]);
  await pass(server, clock, MINUTE, nodes.slice(1));
  expect(await stored(server)).toMatchObject([{ nodeId: 'node_0' }]);
});

test('one of several servers records, and another goes on when it stops', async () => {
  const { clock, start } = await setUp();
  const [first, second] = [await start(), await start()];
  await ping(first, 'node_a');
  await pass(first, clock, 2 * MINUTE);
  await eventually(() => second.services.mesh.peer('node_a')?.id, 'node_a');
  await second.services.outages.round();
  await first.stop();
  // The silence before counts: nobody was away.
  await pass(second, clock, 3.25 * MINUTE);
  expect(await stored(second)).toMatchObject([{ nodeId: 'node_a', backAt: null }]);
});
