import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registrations } from '#db/schema/index.ts';
import {
  activeName,
  aStart,
  expectError,
  freshId,
  getJson,
  postJson,
  type Json,
} from '../contract/contract.ts';
import { reject } from '../support/decisions.ts';
import { openPage } from '../pages/page.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { importPayment } from '../support/payments.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** A registration that names an ended one, whose payment may be meant for it. */

const REGISTER = '/api/registry/register';
const ADA = 'ada@example.org';
const HOUR = 3_600_000;

const clock = new FakeClock();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' }, clock: clock.read });
});
afterAll(() => server.stop());

const start = (fields: Json = {}): Promise<Json> => postJson(server, REGISTER, aStart(fields), 201);
const confirm = ({ id }: Json) => postJson(server, REGISTER, { action: 'confirm', id }, 200);
const cancel = ({ id }: Json) => postJson(server, REGISTER, { action: 'cancel', id }, 200);
const later = async ({ id }: Json, fields: Json = {}): Promise<Json> => {
  clock.advance(1000);
  return start({ earlierId: id, ...fields });
};
const opened = async ({ paymentNote: note }: Json) =>
  (await server.services.review.registration({ note, reviewer: ADA })).registration;
const paymentOf = async (row: Json) => (await opened(row)).payment.state;
const paid = ({ paymentNote }: Json) =>
  importPayment(server, paymentNote, { paidAt: new Date(clock.read()) });
const listed = async () =>
  (await server.services.review.paidAndWaiting()).rows.map(({ note }) => note);

test('must have ended, else 400; whoever retries the start gets the same', async () => {
  const open = await start();
  const waiting = await start();
  await confirm(waiting);
  const active = await activeName(server);
  for (const earlierId of [
    open.id,
    waiting.id,
    active.id,
    `reg_${'x'.repeat(24)}`,
    'x',
    '\0',
    7,
    null,
  ])
    await expectError(
      server,
      await server.post(REGISTER, aStart({ earlierId })),
      400,
      'invalid_body',
      ['earlierId'],
    );
  // Nobody has looked at it since its reservation expired.
  clock.advance(48 * HOUR);
  const body = aStart({ earlierId: open.id });
  const send = (body: object) =>
    server.post(REGISTER, body, { headers: { 'idempotency-key': body === other ? 'b' : 'a' } });
  const other = { ...body, earlierId: undefined };
  const first = await (await send(body)).json();
  expect(await (await send(body)).json()).toEqual(first);
  const key = { headers: { 'idempotency-key': 'a' } };
  expect((await server.post(REGISTER, other, key)).status).toBe(409);
});

test('is shown to the reviewer of both with its payments, and to nobody else', async () => {
  const first = await start();
  await cancel(first);
  await paid(first);
  const second = await later(first);
  await confirm(second);
  expect((await opened(second)).earlier).toMatchObject({
    name: first.name,
    note: first.paymentNote,
    status: 'rejected',
    payments: [{ amountUsd: 5 }],
  });
  expect((await opened(first)).later).toMatchObject({ rows: [{ note: second.paymentNote }] });
  const { cookie } = await signInReviewer(server.services);
  const page = async ({ paymentNote }: typeof first) =>
    (await openPage(server, `/review?open=${paymentNote}`, { headers: { cookie } })).text;
  expect(await page(second)).toMatch(
    new RegExp(`Earlier registration, as its operator says .* ${first.paymentNote} \\$5\\.00, `),
  );
  expect(await page(first)).toContain('Later registrations that name this one');
  const record = await getJson(server, `${REGISTER}?id=${second.id}`);
  expect(JSON.stringify(record)).not.toContain(first.id);
  expect(record).not.toHaveProperty('earlierId');
  expect(JSON.stringify(await opened(second))).not.toContain(first.id);
});

test('its payment counts for the later one, alone or in bulk, and then not for the earlier', async () => {
  const first = await start();
  await paid(first);
  clock.advance(48 * HOUR);
  await server.services.registration.endExpired();
  const second = await later(first);
  await confirm(second);
  expect(await paymentOf(second)).toBe('found');
  expect(await listed()).toContain(second.paymentNote);
  // The earlier one is revived: its name is still free.
  await confirm(first);
  expect(await paymentOf(first)).toBe('none');
  expect(await listed()).not.toContain(first.paymentNote);
  await expect(
    server.services.review.decide({ note: first.paymentNote, reviewer: ADA, decision: 'accept' }),
  ).rejects.toMatchObject({ code: 'invalid_body' });
  await server.services.review.acceptTogether([second.paymentNote], ADA);
  expect(await getJson(server, `${REGISTER}?id=${second.id}`)).toMatchObject({ status: 'active' });
  expect(await paymentOf(second)).toBe('found');
  // Used: not for a third, and not for the first either.
  await server.services.review.decide({
    note: second.paymentNote,
    reviewer: ADA,
    decision: 'revoke',
    reason: 'a test',
  });
  const third = await later(second);
  await confirm(third);
  expect([await paymentOf(third), await paymentOf(first)]).toEqual(['none', 'none']);
});

test('of several that name the same one, the payment counts for the first that is open', async () => {
  const first = await start();
  await cancel(first);
  await paid(first);
  const [second, third] = [await later(first), await later(first)];
  expect([await paymentOf(second), await paymentOf(third)]).toEqual(['found', 'none']);
  await cancel(second);
  expect([await paymentOf(second), await paymentOf(third)]).toEqual(['none', 'found']);
});

test('a payment goes through one that ended to the next', async () => {
  const first = await start();
  await cancel(first);
  await paid(first);
  const second = await later(first);
  await confirm(second);
  await reject(server.services, { id: second.id, reviewer: ADA, reason: 'a typo' });
  expect(await paymentOf(first)).toBe('found');
  const third = await later(second);
  await confirm(third);
  const states = [await paymentOf(first), await paymentOf(second), await paymentOf(third)];
  expect(states).toEqual(['none', 'none', 'found']);
  // With one of its own, a person has to look.
  await paid(third);
  expect(await paymentOf(third)).toBe('several');
  expect(await listed()).not.toContain(third.paymentNote);
});

test('a later registration stays when the earlier one is removed', async () => {
  const first = await start();
  await cancel(first);
  const second = await later(first, { name: freshId('name') });
  await confirm(second);
  const { db } = server.database;
  await db.delete(registrations).where(eq(registrations.id, first.id));
  expect(await opened(second)).toMatchObject({ earlier: null, payment: { state: 'none' } });
});
