import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage } from '../pages/page.ts';
import { PAID_OTHERWISE } from '../support/decisions.ts';
import { PASSWORD, signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { totp } from '../support/totp.ts';
import { registered } from './support.ts';

/** The procedures of the dashboard, with the texts that plain forms send. */

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' } });
  ({ cookie } = await signInReviewer(server.services, { role: 'administrator' }));
});
afterAll(() => server.stop());

/** The cookies of a response, as a browser sends them back. */
const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .filter((one) => !/max-age=0/i.test(one))
    .map((one) => one.replace(/;.*/, ''))
    .join('; ');

const post = (procedure: string, input: object, as = cookie) =>
  server.post(`/api/trpc/${procedure}`, input, { headers: { origin: server.url, cookie: as } });

async function call<Answer>(procedure: string, input: object, as = cookie): Promise<Answer> {
  const answer = await post(procedure, input, as);
  const body = (await answer.json()) as { result: { data: Answer } };
  expect({ procedure, status: answer.status, body }).toMatchObject({ status: 200 });
  return body.result.data;
}

const ask = async <Answer>(procedure: string, input: object, as = cookie): Promise<Answer> => {
  const query = encodeURIComponent(JSON.stringify(input));
  const answer = await server.get(`/api/trpc/${procedure}?input=${query}`, {
    headers: { cookie: as },
  });
  return ((await answer.json()) as { result: { data: Answer } }).result.data;
};

const whoIs = async (as: string) =>
  (await server.services.accounts.signedIn(new Headers({ cookie: as })))?.email ?? null;

describe('decisions', () => {
  test('a rejection accepts its revision as text, and uses the chosen phrase if no reason was typed', async () => {
    const { note } = await registered(server.services, 'garage');
    const { registration } = await ask<{ registration: { rev: number } }>('review.queue.get', {
      note,
    });
    const decision = await call('review.queue.decide', {
      intent: 'reject',
      note,
      decision: 'reject',
      reason: ' ',
      phrase: 'No payment with this note was found.',
      rev: String(registration.rev),
    });
    expect(decision).toMatchObject({ reason: 'No payment with this note was found.' });
    await call('review.queue.undo', { note });
    await call('review.queue.decide', {
      note,
      decision: 'accept',
      reason: PAID_OTHERWISE,
      rev: '',
    });
    await call('review.queue.undo', { note });
    expect((await post('review.queue.decide', { note, decision: 'accept', rev: 'x' })).status).toBe(
      400,
    );
  });

  test('the queue marks a registration as open only if asked to, and names the next one', async () => {
    const [one, two] = [
      await registered(server.services, 'attic'),
      await registered(server.services, 'barn'),
    ];
    const open = (input: object) =>
      ask<{ open: { viewer: string | null } }>('review.queue.list', { open: one.note, ...input });
    expect((await open({})).open.viewer).toBeNull();
    expect((await open({ markOpen: true })).open.viewer).toBe('ada@example.org');
    expect(await ask('review.queue.next', { note: one.note })).toBe(two.note);
  });

  test('the next one in the queue is none that somebody else has open, but may be one’s own', async () => {
    const [one, two, three] = [
      await registered(server.services, 'loft'),
      await registered(server.services, 'mill'),
      await registered(server.services, 'nook'),
    ];
    const open = (note: string, reviewer: string) =>
      server.services.review.queue({ open: note, reviewer, markOpen: true });
    await open(two.note, 'bob@example.org');
    await open(three.note, 'ada@example.org');
    expect(await ask('review.queue.next', { note: one.note })).toBe(three.note);
  });
});

describe('payments', () => {
  test('the fields of a form map an export; a column that was not chosen is refused by name', async () => {
    const { note } = await registered(server.services, 'cellar');
    const text = `Day;Purpose;Sum\n20.11.2026;${note};5,00\n`;
    const chosen = { date: '0', order: 'dmy', amount: '', note: '1', id: '', currency: '' };
    expect(await call('review.payments.import', { text, mapping: chosen })).toMatchObject({
      kind: 'unknown',
      text,
      columns: ['Day', 'Purpose', 'Sum'],
      refused: { issues: [{ path: 'amount', message: 'choose a column of the file' }] },
    });
    expect(await call('review.payments.preview', { text })).toMatchObject({
      columns: ['Day', 'Purpose', 'Sum'],
    });
    const mapping = { ...chosen, amount: '2' };
    expect(await call('review.payments.import', { text, mapping })).toMatchObject({
      kind: 'imported',
      fresh: 1,
    });
    expect(await call('review.payments.accept', { notes: [note] })).toMatchObject([
      { name: 'cellar', status: 'active' },
    ]);
    expect(await ask('review.payments.outcomes', { notes: [note] })).toMatchObject([
      { name: 'cellar', decidedBy: 'ada@example.org' },
    ]);
    expect((await post('review.payments.import', {})).status).toBe(400);
  });

  test('the history export streams every matching entry in batches', async () => {
    const stream = await server.get('/api/trpc/review.history.export?input={"event":"accepted"}', {
      headers: { cookie },
    });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('"cellar"')) text += (await reader?.read())?.value ?? '';
    await reader?.cancel();
    expect(text).not.toContain('"event":"started"');
  });
});

describe('accounts', () => {
  test('an invitation has a URL, creates an account and signs in; no response body contains a session', async () => {
    const { url, token, email } = await call<{ url: string; token: string; email: string }>(
      'review.accounts.invite',
      { intent: 'invite', email: ' Eve@Example.org', role: 'reviewer' },
    );
    expect(url).toBe(`${server.url}/review/join/${token}`);
    expect(email).toBe('eve@example.org');
    expect(await ask('review.join.get', { token }, '')).toMatchObject({ email, role: 'reviewer' });
    const joined = await post(
      'review.join.accept',
      { token, name: 'Eve', password: PASSWORD, role: 'administrator' },
      '',
    );
    expect(joined.status).toBe(200);
    const session = cookiesOf(joined);
    expect(await whoIs(session)).toBe(email);
    expect(await joined.text()).not.toContain(session.replace(/.*=/, '').slice(0, 20));
    expect((await openPage(server, '/review', { headers: { cookie: session } })).status).toBe(200);
    expect(await ask('review.accounts.names', {}, session)).toMatchObject({ [email]: 'Eve' });

    await call('review.accounts.setRole', { email, role: 'administrator' });
    expect(await ask('review.accounts.own.get', {}, session)).toMatchObject({
      email,
      role: 'administrator',
    });
    await call('review.accounts.own.rename', { intent: 'rename', name: ' Eve  Two ' }, session);
    expect(await ask('review.accounts.own.get', {}, session)).toMatchObject({ name: 'Eve Two' });
    expect((await post('review.session.signOut', {}, session)).headers.getSetCookie()).not.toEqual(
      [],
    );
    expect(await whoIs(session)).toBeNull();
  });

  test('signing in asks for the second factor once it is on, and wrong codes start no session', async () => {
    const { cookie: session, email } = await signInReviewer(server.services, {
      email: 'bob@example.org',
    });
    const wrong = await post('review.session.signIn', { email, password: 'not this one' }, '');
    expect([wrong.status, wrong.headers.getSetCookie()]).toEqual([401, []]);

    const begun = { password: PASSWORD };
    const { uri } = await call<{ uri: string }>(
      'review.accounts.own.beginSecondFactor',
      begun,
      session,
    );
    const secret = new URL(uri).searchParams.get('secret') ?? '';
    const confirmed = await post(
      'review.accounts.own.confirmSecondFactor',
      { code: totp(secret) },
      session,
    );
    const { recoveryCodes } = (
      (await confirmed.json()) as { result: { data: { recoveryCodes: string[] } } }
    ).result.data;
    const renewed = cookiesOf(confirmed);
    expect(await whoIs(renewed)).toBe(email);

    const first = await post('review.session.signIn', { email, password: PASSWORD }, '');
    expect(await first.json()).toMatchObject({ result: { data: { secondFactor: true } } });
    const pending = cookiesOf(first);
    expect(await whoIs(pending)).toBeNull();
    expect(await ask('review.session.awaitsSecondFactor', {}, pending)).toBe(true);
    expect(await ask('review.session.awaitsSecondFactor', {}, '')).toBe(false);
    expect((await post('review.session.secondFactor', { code: '000000' }, pending)).status).toBe(
      401,
    );
    const second = await post(
      'review.session.secondFactor',
      { code: recoveryCodes[0]?.toUpperCase() },
      pending,
    );
    expect(await whoIs(cookiesOf(second))).toBe(email);

    const { recoveryCodes: fresh } = await call<{ recoveryCodes: string[] }>(
      'review.accounts.own.newRecoveryCodes',
      { password: PASSWORD },
      renewed,
    );
    expect(fresh).toHaveLength(recoveryCodes.length);
    const off = await post('review.accounts.own.endSecondFactor', { password: PASSWORD }, renewed);
    expect(await ask('review.accounts.own.get', {}, cookiesOf(off))).toMatchObject({
      twoFactorEnabled: false,
    });
    const newPassword = 'another good password';
    const changed = await post(
      'review.accounts.own.changePassword',
      { password: PASSWORD, newPassword },
      cookiesOf(off),
    );
    expect(changed.status).toBe(200);
    const again = await post('review.session.signIn', { email, password: newPassword }, '');
    expect(await whoIs(cookiesOf(again))).toBe(email);
  });
});

describe('registrations', () => {
  const start = { name: 'villa', nodeId: 'node_villa', kinds: ['node'], class: '', region: '' };

  test('a start ignores empty fields and is found again by its idempotency key', async () => {
    const idempotencyKey = 'key-of-this-test';
    const made = await call<{ id: string }>('registry.start', {
      ...start,
      label: '',
      idempotencyKey,
    });
    expect(made).toMatchObject({ label: 'villa', class: 'S', region: 'ZZ' });
    const found = { ...start, label: '', idempotencyKey };
    expect(await ask('registry.startedWith', found)).toEqual({ id: made.id });
    expect(await ask('registry.startedWith', { ...found, class: 'L' })).toBe('other');
    expect(await ask('registry.displayLabel', { name: 'villa', label: ' Villa ' })).toBe('Villa');
  });

  test('the last confirmation text counts, and a correction confirms nothing', async () => {
    const { id, note } = await registered(server.services, 'tower', { confirmed: false });
    const submit = (input: object) => post('registry.submitConfirmation', { id, ...input });
    const textNow = async () =>
      (await ask<{ registration: { cashConfirm: string } }>('review.queue.get', { note }))
        .registration.cashConfirm;
    expect((await submit({ cashConfirm: '#1', corrects: '' })).status).toBe(409);
    expect((await submit({ cashConfirm: '#1' })).status).toBe(200);
    expect((await submit({ cashConfirm: '#2' })).status).toBe(200);
    expect(await textNow()).toBe('#2');
    expect((await submit({ cashConfirm: '#3', corrects: '1' })).status).toBe(200);
    expect(await textNow()).toBe('#3');
    expect(await ask('registry.follow', { id })).toMatchObject({ confirmed: true });
    expect((await post('registry.submitConfirmation', { id: 'nothing' })).status).toBe(404);
  });
});
