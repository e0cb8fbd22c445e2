import { afterAll, beforeAll, expect, test } from 'vitest';
import { REASON_MAX } from '@mesh-registry/protocol/values.schema.ts';
import { freshId, getJson } from '../contract/contract.ts';
import { openPage } from '../pages/page.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { deactivateReviewer, signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { expectRefused, registered, trpcOf } from './support.ts';

/** What reviewers write on a registration for themselves: who sees to it, and a remark. */

const ADA = 'ada@example.org';
const BOB = 'bob@example.org';
const EVE = 'eve@example.org';

const clock = new FakeClock();
let server: TestServer;
/** Ada's. */
let cookie: string;
let ada: ReturnType<typeof trpcOf>;
let bob: ReturnType<typeof trpcOf>;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' }, clock: clock.read });
  const signedIn = async (email: string) =>
    trpcOf(server, (await signInReviewer(server.services, { email })).cookie);
  ({ cookie } = await signInReviewer(server.services, { email: ADA }));
  ada = trpcOf(server, cookie);
  bob = await signedIn(BOB);
  await signedIn(EVE);
  await deactivateReviewer(server.database, EVE, clock.read());
});
afterAll(() => server.stop());

const waiting = () => registered(server.services, freshId('name'));
const entries = async (note: string) =>
  (await ada.review.history.page.query({ q: note })).entries
    .filter(({ event }) => event === 'remark_written' || event === 'registration_assigned')
    .map(({ event, actor, subject, reason }) => [event, actor, subject, reason]);
const open = async (note: string) => (await ada.review.queue.get.query({ note })).registration;

test('a registration is assigned to a reviewer, to another, and to nobody; each change once in the history', async () => {
  const { note, id } = await waiting();
  const assign = (to: string) => ada.review.queue.assign.mutate({ note, to });
  expect((await open(note)).assignee).toBeNull();
  expect(await assign(ADA)).toEqual({ assignee: ADA });
  await assign(ADA);
  const { items } = await bob.review.queue.list.query({});
  expect(items.find((item) => item.note === note)?.assignee).toBe(ADA);
  expect(await assign(BOB)).toEqual({ assignee: BOB });
  expect(await assign('')).toEqual({ assignee: null });
  for (const to of [EVE, 'nobody@example.org', 'system'])
    await expect(assign(to)).rejects.toMatchObject({
      data: { code: 'invalid_body', issues: [{ path: 'to' }] },
    });
  expect((await open(note)).assignee).toBeNull();
  expect((await entries(note)).sort()).toEqual(
    [
      ['registration_assigned', ADA, note, `to ${ADA}`],
      ['registration_assigned', ADA, note, `to ${BOB}`],
      ['registration_assigned', ADA, note, 'to nobody'],
    ].sort(),
  );
  // Nothing of it is the operator's business, and the registration did not change.
  const record = await getJson(server, `/api/registry/register?id=${id}`);
  expect(JSON.stringify(record)).not.toContain('example.org');
  expect((await server.services.registration.status(id)).timeline).toHaveLength(2);
});

test('a remark is replaced only by one who has seen it; the operator never sees it', async () => {
  const { note, id } = await waiting();
  const text = 'Wrote to the operator about the missing dollar.';
  const first = await ada.review.queue.remark.mutate({ note, text: ` ${text}\n` });
  expect(first.remark).toEqual({ text, by: ADA, at: clock.iso() });
  clock.advance(1000);
  // Sent twice.
  expect(await ada.review.queue.remark.mutate({ note, text })).toEqual(first);
  await expect(bob.review.queue.remark.mutate({ note, text: 'Mine.' })).rejects.toMatchObject({
    data: { code: 'invalid_state', error: expect.stringContaining(ADA) },
  });
  const seen = first.remark?.at ?? '';
  const second = await bob.review.queue.remark.mutate({ note, text: 'Answered.', seen });
  expect(second.remark).toEqual({ text: 'Answered.', by: BOB, at: clock.iso() });
  expect((await open(note)).remark).toEqual(second.remark);
  const last = { note, text: '', seen: second.remark?.at ?? '' };
  expect(await ada.review.queue.remark.mutate(last)).toEqual({ remark: null });
  expect(await entries(note)).toHaveLength(3);
  await expect(
    ada.review.queue.remark.mutate({ note, text: 'x'.repeat(REASON_MAX + 1) }),
  ).rejects.toMatchObject({ data: { code: 'invalid_body' } });
  const record = await getJson(server, `/api/registry/register?id=${id}`);
  expect(JSON.stringify(record)).not.toContain('missing dollar');
});

test('of two remarks at once, one is stored and the other one is told whose', async () => {
  const { note } = await waiting();
  const written = await Promise.allSettled([
    ada.review.queue.remark.mutate({ note, text: 'One.' }),
    bob.review.queue.remark.mutate({ note, text: 'Two.' }),
  ]);
  expect(written.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await entries(note)).toHaveLength(1);
});

test('open queues hear of both', async () => {
  const { note } = await waiting();
  const abort = new AbortController();
  let heard = 0;
  const listening = (async () => {
    for await (const _ of server.services.review.changes('none', abort.signal)) heard++;
  })();
  await until('the first event', () => heard === 1);
  // The newest entry of the audit log is what tells.
  clock.advance(1);
  await ada.review.queue.assign.mutate({ note, to: ADA });
  await until('the assignment', () => heard === 2);
  clock.advance(1);
  await ada.review.queue.remark.mutate({ note, text: 'Later.' });
  await until('the remark', () => heard === 3);
  abort.abort();
  await listening;
  expect(heard).toBe(3);
});

test('both are shown and changed on the page without scripts, which says who was faster and keeps what was typed', async () => {
  const { note } = await waiting();
  const path = `/review?open=${note}`;
  const page = async () => (await openPage(server, path, { headers: { cookie } })).text;
  const send = (fields: Record<string, string>) =>
    openPage(server, `/review?index=&open=${note}`, {
      method: 'POST',
      body: new URLSearchParams({ note, ...fields }),
      headers: { origin: server.url, cookie, accept: 'text/html' },
    });
  expect(await page()).toMatch(/Assigned to nobody Assign to me .* Write a remark/);
  const assigned = await send({ intent: 'assign', to: ADA });
  expect([assigned.status, assigned.headers.get('location')]).toEqual([303, path]);
  expect(await page()).toMatch(/yours .* Assigned to ada Unassign/);
  await send({ intent: 'assign', to: '' });
  expect(await page()).toContain('Assigned to nobody');

  expect((await send({ intent: 'remark', text: 'Asked the bank.', seen: '' })).status).toBe(303);
  expect(await page()).toMatch(/Asked the bank\. ada ?, .* Change the remark/);
  const refused = await send({ intent: 'remark', text: 'Mine.', seen: '' });
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('has changed the remark meanwhile');
  expect(refused.html).toMatch(/<textarea[^>]*>\n?Mine\.<\/textarea>/);
  const seen = (await open(note)).remark?.at ?? '';
  expect(refused.html).toContain(`name="seen" value="${seen}"`);
  await send({ intent: 'remark', text: 'Mine.', seen });
  expect((await open(note)).remark?.text).toBe('Mine.');
});

test('strangers change neither', async () => {
  const { note } = await waiting();
  const stranger = trpcOf(server, null);
  await expectRefused([
    stranger.review.queue.assign.mutate({ note, to: ADA }),
    stranger.review.queue.remark.mutate({ note, text: 'Hello.' }),
  ]);
});
