import { afterAll, beforeAll, expect, test } from 'vitest';
import { aStart, freshId, getJson, postJson, type Json } from '../contract/contract.ts';
import { accept, reject } from '../support/decisions.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** What everybody can learn about a name: nothing from before it was active, and nothing if it never was. */

const REGISTER = '/api/registry/register';
const ADA = 'ada@example.org';
const HOUR = 3_600_000;

const clock = new FakeClock();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' }, clock: clock.read });
});
afterAll(() => server.stop());

const start = (): Promise<Json> => postJson(server, REGISTER, aStart(), 201);
const confirm = ({ id }: Json) =>
  postJson(server, REGISTER, { action: 'confirm', id, cashConfirm: '#D-7Q2M41' }, 200);
const textOf = async (path: string) => {
  const response = await server.get(path);
  return { status: response.status, text: await response.text() };
};
/** Everything public that names names. */
const PUBLIC = (name: string) => [
  `/registry/${name}`,
  `/registry/${name}/feed.atom`,
  `/registry/${name}/badge.svg`,
  `/registry/${name}/card.png`,
  '/registry',
  '/registry/feed.atom',
  '/api/registry',
  REGISTER,
  `${REGISTER}?name=${name}`,
  '/api/registry/computes',
];

test('of an active name no moment before its activation is public, nor its payment', async () => {
  const reserved = clock.iso();
  const registration = await start();
  clock.advance(1000);
  const reported = clock.iso();
  await confirm(registration);
  clock.advance(1000);
  const { name, id, paymentNote } = registration;
  const activated = clock.iso();
  await accept(server.services, { id, reviewer: ADA });
  clock.advance(1000);
  let seen = 0;
  for (const path of PUBLIC(name)) {
    const { status, text } = await textOf(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    if (text.includes(activated)) seen++;
    for (const secret of [reserved, reported, id, paymentNote, '7Q2M41', ADA])
      expect({ path, has: text.includes(secret) && secret }).toEqual({ path, has: false });
  }
  // The page, its feed, the feed of all names, the list of all and that of the fee.
  expect(seen).toBeGreaterThanOrEqual(4);
});

test('one that was never active reads like one that never was: available, or taken while it waits', async () => {
  const [unpaid, waiting, cancelled, expired, rejected] = [
    await start(),
    await start(),
    await start(),
    await start(),
    await start(),
  ] as [Json, Json, Json, Json, Json];
  await postJson(server, REGISTER, { action: 'cancel', id: cancelled.id }, 200);
  for (const each of [unpaid, waiting, rejected]) await confirm(each);
  await reject(server.services, { id: rejected.id, reviewer: ADA, reason: 'no payment' });
  clock.advance(48 * HOUR);
  await server.services.registration.endExpired();
  const fresh = freshId('name');
  const never = async (name: string) => {
    const { status, text } = await textOf(`/registry/${name}`);
    return { status, says: /This name is [a-z, ]+/.exec(text)?.[0] };
  };
  expect(await never(fresh)).toMatchObject({ status: 404, says: 'This name is available' });
  for (const { name } of [cancelled, expired, rejected]) {
    expect({ name, ...(await never(name)) }).toEqual({ name, ...(await never(fresh)) });
    expect(await getJson(server, `${REGISTER}?name=${name}`)).toMatchObject({ available: true });
  }
  for (const { name } of [unpaid, waiting])
    expect(await never(name)).toEqual({
      status: 404,
      says: 'This name is taken, but not active yet',
    });
  for (const { name, id, paymentNote, createdAt } of [
    unpaid,
    waiting,
    cancelled,
    expired,
    rejected,
  ])
    for (const path of PUBLIC(name)) {
      const { text } = await textOf(path);
      for (const secret of [id, paymentNote, createdAt, 'no payment'])
        expect({ path, has: text.includes(secret) && secret }).toEqual({ path, has: false });
    }
  for (const { name } of [waiting, cancelled])
    expect((await textOf(`/registry/${name}/feed.atom`)).status).toBe(404);
});
