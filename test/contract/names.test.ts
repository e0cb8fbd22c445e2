import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AppError } from '#server/common/errors.schema.ts';
import { Start } from '@mesh-registry/protocol/rest/register.schema.ts';
import { accept } from '../support/decisions.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { aStart, describeContract, freshId, type Json } from './contract.ts';
import { SOON } from '../support/until.ts';

/** Whether names are available: from memory, by the rule that a start uses. */

const REGISTER = '/api/registry/register';
const HOUR = 3_600_000;
const REVIEWER = 'ada@example.org';

async function reasonOf(server: TestServer, name: string): Promise<string | null> {
  for (;;) {
    const response = await server.get(`${REGISTER}?name=${name}`);
    const { reason }: Json = await response.json();
    if (response.status === 200) return reason;
    // After a leap of the clock the server has to hear of the database once.
    expect(response.status).toBe(503);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
const started = (server: TestServer, name: string, nodeId = freshId()) =>
  server.services.registration.start(Start.parse(aStart({ name, nodeId })));

describeContract('a name in memory', {}, ({ server, clock }) => {
  /** What a start says, without starting one where the name is available. */
  const startSays = async (name: string) => {
    const response = await server.post(REGISTER, aStart({ name }));
    const { code, id }: Json = await response.json();
    if (id) await server.services.registration.confirm({ id });
    return response.status === 201 ? null : code.replace('name_', '');
  };

  test('is what a start says, through every state of a registration', async () => {
    const name = freshId('name');
    expect(await reasonOf(server, name)).toBeNull();
    const { id } = await started(server, name);
    expect([await reasonOf(server, name), await startSays(name)]).toEqual(['taken', 'taken']);
    // Expired, though nothing has ended it yet.
    clock.advance(49 * HOUR);
    expect(await reasonOf(server, name)).toBeNull();
    await server.services.registration.confirm({ id });
    expect([await reasonOf(server, name), await startSays(name)]).toEqual(['taken', 'taken']);
    await accept(server.services, { id, reviewer: REVIEWER });
    expect([await reasonOf(server, name), await startSays(name)]).toEqual(['taken', 'taken']);
    const { paymentNote: note } = await server.services.registration.get(id);
    await server.services.review.decide({
      note,
      reviewer: REVIEWER,
      decision: 'revoke',
      reason: 'x',
    });
    clock.advance(10_000);
    await expect.poll(() => reasonOf(server, name)).toBeNull();
    expect(await startSays(name)).toBeNull();
    expect(await reasonOf(server, name)).toBe('taken');
  });

  test('is reserved from when a reviewer reserves it until it is released, or the day has passed', async () => {
    const { names } = server.services;
    const [always, oneDay] = [freshId('name'), freshId('name')];
    await names.reserve({ name: always, reason: 'x', until: '' }, REVIEWER);
    const until = new Date(clock.read()).toISOString().slice(0, 10);
    await names.reserve({ name: oneDay, reason: 'x', until }, REVIEWER);
    for (const name of [always, oneDay, 'admin'])
      expect([await reasonOf(server, name), await startSays(name)]).toEqual([
        'reserved',
        'reserved',
      ]);
    clock.advance(25 * HOUR);
    expect([await reasonOf(server, always), await reasonOf(server, oneDay)]).toEqual([
      'reserved',
      null,
    ]);
    await names.release({ name: always, reason: 'x' }, REVIEWER);
    expect([await reasonOf(server, always), await startSays(always)]).toEqual([null, null]);
  });
});

describeContract('looking names up', {}, ({ server }) => {
  const TABLES = ['name_claims', 'registrations', 'reserved_names'];
  const rename = async (from: string, to: string) => {
    for (const table of TABLES)
      await server.database.db.execute(
        sql.raw(`alter table ${from}${table} rename to ${to}${table}`),
      );
  };

  test('asks the database nothing', async () => {
    const { id, name } = await started(server, freshId('name'));
    const typed = (path: string) =>
      `/api/trpc/registry.${path}?input=${encodeURIComponent(JSON.stringify({ name }))}`;
    const paths = [
      `${REGISTER}?name=${name}`,
      `${REGISTER}?name=admin`,
      `${REGISTER}?name=${freshId('free')}`,
      `${REGISTER}?name=!`,
      typed('availability'),
      typed('alternatives'),
    ];
    const read = async (path: string) => {
      const response = await server.get(path);
      return [path, response.status, await response.text()];
    };
    const before = await Promise.all(paths.map(read));
    await rename('', 'hidden_');
    try {
      // The names of the tables are wrong for any query.
      expect((await server.get(`${REGISTER}?id=${id}`)).status).toBe(500);
      expect(await Promise.all(paths.map(read))).toEqual(before);
    } finally {
      await rename('hidden_', '');
    }
    // Its page does ask, for what it was while it was active: it has never been.
    expect((await server.get(`/registry/${name}`)).status).toBe(404);
  });
});

describe('names at another server', () => {
  let database: TestDatabase;
  let servers: [TestServer, TestServer];
  beforeAll(async () => {
    database = await createTestDatabase();
    const start = () => startTestServer({ env: { ...database.env, RATE_LIMITS: 'off' } });
    servers = [await start(), await start()];
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await database.drop();
  });

  test('a registration is followed from memory where a look-up is refused, unless it is unknown', async () => {
    const { services } = servers[0];
    const { id } = await started(servers[0], freshId('name'));
    const refusal = new AppError('rate_limited', 'Too many.', { retryAfter: 1 });
    const refuse = vi.fn(() => {
      throw refusal;
    });
    expect(await services.registration.status(id, refuse)).toMatchObject({
      registration: { id },
    });
    const unknown = 'reg_0000000000000000000000';
    await expect(services.registration.status(unknown, refuse)).rejects.toBe(refusal);
    expect(refuse).toHaveBeenCalledTimes(2);
    await expect(services.registration.status(unknown)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('are taken, reserved and released there soon; a start knows at once', async () => {
    const [here, there] = servers;
    const [taken, reserved] = [freshId('name'), freshId('name')];
    const becomes = (name: string, reason: string | null) =>
      vi.waitFor(async () => expect(await reasonOf(there, name)).toBe(reason), SOON);
    await started(here, taken);
    expect((await there.post(REGISTER, aStart({ name: taken }))).status).toBe(409);
    await becomes(taken, 'taken');
    await here.services.names.reserve({ name: reserved, reason: 'x', until: '' }, REVIEWER);
    expect((await there.post(REGISTER, aStart({ name: reserved }))).status).toBe(409);
    await becomes(reserved, 'reserved');
    await there.services.names.release({ name: reserved, reason: 'x' }, REVIEWER);
    expect(await reasonOf(there, reserved)).toBeNull();
    await vi.waitFor(async () => expect(await reasonOf(here, reserved)).toBeNull(), SOON);
    expect((await there.post(REGISTER, aStart({ name: reserved }))).status).toBe(201);
  });
});
