import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reviewActions } from '#db/schema/index.ts';
import { getJson } from '../contract/contract.ts';
import { openPage } from '../pages/page.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { deactivateReviewer, signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { expectRefused, registered, trpcOf } from './support.ts';
import { accept, revoke } from '../support/decisions.ts';

const clock = new FakeClock();
let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' }, clock: clock.read });
  ({ cookie } = await signInReviewer(server.services));
});
afterAll(() => server.stop());

const send = (fields: Record<string, string>, headers: Record<string, string> = { cookie }) =>
  openPage(server, '/review/names', {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: server.url, ...headers },
  });
const show = (query = '') => openPage(server, `/review/names${query}`, { headers: { cookie } });
const availability = async (name: string) =>
  (await getJson(server, `/api/registry/register?name=${name}`)).reason as string | null;

test('a reserved name can’t be registered until it is released', async () => {
  const added = await send({ intent: 'reserve', name: ' Bank ', reason: 'looks official' });
  expect(added.status).toBe(303);
  expect(added.headers.get('location')).toBe('/review/names?q=bank');
  expect(await availability('bank')).toBe('reserved');
  expect((await show('?q=bank')).text).toMatch(/bank looks official .*by ada no end date/);

  expect((await send({ intent: 'release', name: 'bank', reason: '' })).status).toBe(400);
  expect(await availability('bank')).toBe('reserved');
  const released = await send({ intent: 'release', name: 'bank', reason: 'nobody minds' });
  expect(released.status).toBe(303);
  expect(await availability('bank')).toBeNull();
  const twice = await send({ intent: 'release', name: 'bank', reason: 'nobody minds' });
  expect(twice.status).toBe(404);
  expect(twice.text).toContain('Someone else has released it');

  const actions = await server.database.db
    .select()
    .from(reviewActions)
    .where(eq(reviewActions.subject, 'bank'));
  expect(actions.map(({ action, subject, reason }) => [action, subject, reason]).sort()).toEqual([
    ['name_released', 'bank', 'nobody minds'],
    ['name_reserved', 'bank', 'looks official'],
  ]);
});

test('a name reserved until a day is available the day after, shown as expired, and can be reserved again', async () => {
  await send({ intent: 'reserve', name: 'event', reason: 'a fair', until: '2026-07-18' });
  clock.advance(35 * 3_600_000);
  expect(clock.iso()).toBe('2026-07-18T23:00:00.000Z');
  expect(await availability('event')).toBe('reserved');
  clock.advance(3_600_000);
  expect(await availability('event')).toBeNull();
  expect((await show('?q=event')).text).toContain('2026-07-18 expired');
  const again = await send({ intent: 'reserve', name: 'event', reason: 'next year', until: '' });
  expect(again.status).toBe(303);
  expect(await availability('event')).toBe('reserved');
});

test('when two reviewers reserve the same name, the second learns who reserved it and why', async () => {
  const bob = await signInReviewer(server.services, { email: 'bob@example.org' });
  const fields = { intent: 'reserve', name: 'both', reason: 'mine' };
  const answers = await Promise.all([send(fields), send(fields, { cookie: bob.cookie })]);
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.text).toMatch(/both is already reserved by (ada|bob)@example.org: mine\./);
  expect(refused?.html).toMatch(/name="name"[^>]*value="both"/);
});

test('each field shows its error and keeps what was typed', async () => {
  const page = await send({ intent: 'reserve', name: '-x', reason: ' ', until: '2020-01-01' });
  expect(page.status).toBe(400);
  expect(page.text).toContain('must be 2 to 32 characters: a-z, 0-9, - and _');
  expect(page.text).toContain('must have 1 to 500 characters');
  expect(page.text).toContain('must be today or later');
  expect(page.html).toMatch(/name="name" aria-invalid="true"[^>]*value="-x"/);
  expect((await send({ intent: 'other' })).status).toBe(400);
});

test('a registered name stays registered, and is reserved once the registration ends', async () => {
  const { id, note } = await registered(server.services, 'held');
  await accept(server.services, { id, reviewer: 'ada@example.org' });
  await send({ intent: 'reserve', name: 'held', reason: 'a mark' });
  expect(await getJson(server, '/api/registry')).toMatchObject({ entries: [{ name: 'held' }] });
  const page = await show('?q=held');
  expect(page.text).toContain('held still registered, view registration');
  expect(page.html).toContain(`href="/review/registrations/${note}"`);
  await revoke(server.services, { id, reviewer: 'ada@example.org', reason: 'no' });
  expect(await availability('held')).toBe('reserved');
  expect((await show('?q=held')).text).not.toContain('still registered');
});

test('strangers and deactivated accounts can neither see nor change reserved names', async () => {
  const gone = await signInReviewer(server.services, { email: 'gone@example.org' });
  await deactivateReviewer(server.database, 'gone@example.org', clock.now);
  for (const stranger of [null, gone.cookie]) {
    const headers: Record<string, string> = stranger === null ? {} : { cookie: stranger };
    const page = await openPage(server, '/review/names', { headers });
    expect(page.headers.get('location')).toMatch(/^\/review\/sign-in/);
    await send({ intent: 'reserve', name: 'stranger', reason: 'x' }, headers);
    const { list, reserve, release } = trpcOf(server, stranger).review.names;
    await expectRefused([
      list.query({}),
      reserve.mutate({ name: 'stranger', reason: 'x' }),
      release.mutate({ name: 'genesis', reason: 'x' }),
    ]);
  }
  expect(await availability('stranger')).toBeNull();
  expect(await availability('genesis')).toBe('reserved');
  const names = trpcOf(server, cookie).review.names;
  expect(await names.reserve.mutate({ name: 'Typed', reason: 'x' })).toEqual({ name: 'typed' });
  expect((await names.list.query({ q: 'typed' })).names).toHaveLength(1);
});
