import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eq } from 'drizzle-orm';
import {
  reviewActions,
  reviewerInvitations,
  reviewers,
  reviewerTwoFactors,
} from '#db/schema/index.ts';
import { firstLink } from '#server/accounts/first-link.ts';
import { openPage } from '../pages/page.ts';
import { PASSWORD, signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { totp } from '../support/totp.ts';

const DAY_MS = 86_400_000;
const ROOT = 'root@example.org';

let server: TestServer;
let now = Date.now();
let root: { cookie: string };
let count = 0;
const freshEmail = () => `reviewer-${count++}@example.org`;

/** Sends a form the way a browser without scripts does. */
const post = (path: string, fields: Record<string, string>, cookie = '') =>
  server.get(path, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers: { origin: server.url, cookie },
  });
const administer = (intent: string, fields: Record<string, string>, cookie = root.cookie) =>
  post('/review/reviewers', { intent, ...fields }, cookie);
const join = (token: string, fields: Record<string, string> = {}) =>
  post(`/review/join/${token}`, { name: 'Ada', password: PASSWORD, ...fields });
const whoIs = (cookie: string) =>
  server.services.accounts.signedIn(new Headers({ cookie })).then((found) => found?.email ?? null);
const cookieOf = (answer: Response) => answer.headers.getSetCookie().join().replace(/;.*/, '');
const roleOf = async (email: string) =>
  (await server.services.accounts.list()).reviewers.find((one) => one.email === email)?.role;
const actionsOn = async (subject: string) =>
  (
    await server.database.db
      .select()
      .from(reviewActions)
      .where(eq(reviewActions.subject, subject))
      .orderBy(reviewActions.at)
  ).map(({ actor, action, reason }) => [actor, action, reason].filter(Boolean).join(' '));
const tokenIn = async (answer: Response) =>
  /\/review\/join\/([\w-]{43})/.exec(await answer.text())?.[1] ?? '';

describe('accounts', () => {
  beforeAll(async () => {
    now = Date.now();
    server = await startTestServer({ env: { RATE_LIMITS: 'off' }, clock: () => now });
  });
  afterAll(() => server.stop());

  test('the first link stays the same until it expires', async () => {
    const { services } = server;
    const token = (await services.accounts.firstLink())?.token ?? '';
    expect((await services.accounts.firstLink())?.token).toBe(token);
    now += DAY_MS - 1;
    expect((await services.accounts.firstLink())?.token).toBe(token);
    now += 1;
    expect((await openPage(server, `/review/join/${token}`)).status).toBe(404);
    expect((await services.accounts.firstLink())?.token).not.toBe(token);
  });

  test('servers that look for the first link at once find the same one', async () => {
    const { db } = server.database;
    await db.delete(reviewerInvitations);
    const find = () =>
      firstLink({ db, clock: () => ++now, secret: 'the secret of all servers', alone: false });
    const links = await Promise.all([find(), find(), find(), find(), find()]);
    expect(new Set(links.map((link) => link?.token)).size).toBe(1);
    expect(await db.select().from(reviewerInvitations)).toHaveLength(1);
    await db.delete(reviewerInvitations);
  });

  test('the first link creates an administrator, and there is no such link once there is one', async () => {
    const { services } = server;
    const token = (await services.accounts.firstLink())?.token ?? '';
    const page = await openPage(server, `/review/join/${token}`);
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
    expect(page.text).toContain('The first account of this registry, as administrator.');

    const answer = await join(token, { email: 'Root@Example.org', name: 'Root' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/review']);
    root = { cookie: cookieOf(answer) };
    expect(await whoIs(root.cookie)).toBe(ROOT);
    expect(await services.accounts.firstLink()).toBeNull();
    expect(await actionsOn(ROOT)).toEqual([`${ROOT} reviewer_joined`]);
    expect(server.log()).not.toContain(token);
  });

  test('links stop working once their creator is no longer an administrator', async () => {
    const { accounts } = server.services;
    for (const end of [
      (email: string) => accounts.deactivate({ actor: ROOT, email }),
      (email: string) => accounts.setRole({ actor: ROOT, email, role: 'reviewer' }),
    ]) {
      const email = freshEmail();
      await signInReviewer(server.services, { email, role: 'administrator' });
      const links = [
        await accounts.invite(email, { email: freshEmail(), role: 'administrator' }),
        await accounts.renewAccess(email, ROOT),
      ];
      const open = () =>
        Promise.all(links.map(async (link) => !!(await accounts.invitation(link))));
      expect(await open()).toEqual([true, true]);
      await end(email);
      expect(await open()).toEqual([false, false]);
    }
  });

  test('an invitation states address and role, is stored as a hash, and its form can’t change the role', async () => {
    const email = freshEmail();
    const token = await tokenIn(await administer('invite', { email, role: 'reviewer' }));
    const rows = await server.database.db.select().from(reviewerInvitations);
    expect(JSON.stringify(rows)).not.toContain(token);
    const page = await openPage(server, `/review/join/${token}`);
    expect(page.text).toContain(`For ${email}, as reviewer.`);

    const joined = await join(token, {
      role: 'administrator',
      email: ROOT,
      deactivatedAt: '',
      id: 'mine',
    });
    expect(joined.status).toBe(303);
    const cookie = cookieOf(joined);
    expect(await whoIs(cookie)).toBe(email);
    expect(await roleOf(email)).toBe('reviewer');
    await post('/review/account', { intent: 'rename', name: 'Ada', role: 'administrator' }, cookie);
    expect(await roleOf(email)).toBe('reviewer');
    expect(await actionsOn(email)).toEqual([
      `${ROOT} reviewer_invited reviewer`,
      `${email} reviewer_joined`,
    ]);
  });

  test('a link used twice at once creates one account; used, expired, withdrawn and wrong links show the same page', async () => {
    const { accounts: service } = server.services;
    const token = await service.invite(ROOT, { email: freshEmail(), role: 'reviewer' });
    const answers = await Promise.all([join(token), join(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404]);

    const withdrawn = freshEmail();
    const tokens = [
      token,
      await service.invite(ROOT, { email: withdrawn, role: 'reviewer' }),
      'A'.repeat(43),
      'short',
    ];
    expect((await administer('withdraw', { email: withdrawn })).status).toBe(303);
    const old = await service.invite(ROOT, { email: freshEmail(), role: 'reviewer' });
    now += 7 * DAY_MS;
    const texts = new Set<string>();
    for (const bad of [...tokens, old]) {
      const page = await openPage(server, `/review/join/${bad}`);
      expect(page.status).toBe(404);
      texts.add(page.text);
      expect((await join(bad)).status).toBe(404);
    }
    expect(texts.size).toBe(1);
    expect(await actionsOn(withdrawn)).toEqual([
      `${ROOT} reviewer_invited reviewer`,
      `${ROOT} invitation_withdrawn`,
    ]);
  });

  test('a refused form leaves the link usable, and marks the field at fault', async () => {
    const token = await server.services.accounts.invite(ROOT, {
      email: freshEmail(),
      role: 'reviewer',
    });
    for (const password of ['too short', 'password1234', 'aaaaaaaaaaaaaaa', 'x'.repeat(129)]) {
      const answer = await join(token, { password });
      expect(answer.status).toBe(400);
      const html = await answer.text();
      expect(html).toMatch(/name="password"[^>]*aria-invalid="true"/);
      expect(html).toContain('value="Ada"');
      expect(html).not.toContain(`"${password}"`);
    }
    expect((await join(token)).status).toBe(303);
  });

  test('using an access link sets the password, turns off the second factor and ends all sessions', async () => {
    const email = freshEmail();
    const { cookie } = await signInReviewer(server.services, { email });
    const headers = new Headers({ cookie });
    const own = await server.services.accounts.signedIn(headers);
    if (!own) throw new Error('not signed in');
    const { uri } = await server.services.accounts.beginSecondFactor(own, PASSWORD, headers);
    const { cookies } = await server.services.accounts.confirmSecondFactor(
      own,
      totp(new URL(uri).searchParams.get('secret') ?? ''),
      headers,
    );
    const session = cookies.map((one) => one.replace(/;.*/, '')).join('; ');

    const token = await tokenIn(await administer('access', { email }));
    expect(await whoIs(session)).toBe(email);
    const answer = await join(token, { password: 'another good password' });
    expect(answer.status).toBe(303);
    expect(await whoIs(cookieOf(answer))).toBe(email);
    expect(await whoIs(session)).toBeNull();
    expect(await server.database.db.select().from(reviewerTwoFactors)).toEqual([]);
    expect((await post('/review/sign-in', { email, password: PASSWORD })).status).toBe(401);
    expect((await join(token)).status).toBe(404);
    expect((await actionsOn(email)).slice(-2)).toEqual([
      `${ROOT} access_link_made`,
      `${email} access_renewed`,
    ]);
    // Somebody who finds a signed-in browser must not be able to take over the account.
    expect((await administer('access', { email: ROOT })).status).toBe(409);
  });

  test('a wrong code while setting up a second factor keeps the key, without scripts too', async () => {
    const { cookie } = await signInReviewer(server.services, { email: freshEmail() });
    const send = async (fields: Record<string, string>) => {
      const answer = await post('/review/account/second-factor', fields, cookie);
      return { status: answer.status, html: await answer.text() };
    };
    const wrongPassword = await send({ intent: 'begin', password: 'not this one' });
    expect(wrongPassword.status).toBe(401);
    expect(wrongPassword.html).not.toContain('not this one');
    const begun = await send({ intent: 'begin', password: PASSWORD });
    const key = keyIn(begun.html);
    const uri = /name="uri" value="([^"]+)"/.exec(begun.html)?.[1]?.replaceAll('&amp;', '&') ?? '';

    const wrongCode = await send({ intent: 'confirm', code: '000000', uri });
    expect(wrongCode.status).toBe(401);
    expect(wrongCode.html).toContain('This code is incorrect.');
    expect(keyIn(wrongCode.html)).toBe(key);
    expect(wrongCode.html).toContain('aria-label="QR code of the key"');
    expect(wrongCode.html).not.toContain('000000');
    // What is sent as the key becomes a link.
    const planted = await send({ intent: 'confirm', code: '000000', uri: 'javascript:alert(1)' });
    expect(planted.html).not.toMatch(/href="javascript/);

    const right = await send({ intent: 'confirm', code: totp(key), uri });
    expect(right.status).toBe(200);
    expect(right.html).toContain('Your recovery codes');
  });

  test('deactivation ends every session and link at once, and reactivation restores none', async () => {
    const email = freshEmail();
    const { cookie } = await signInReviewer(server.services, { email });
    const token = await tokenIn(await administer('access', { email }));
    expect((await administer('deactivate', { email })).status).toBe(303);
    const away = await server.get('/review/account', { redirect: 'manual', headers: { cookie } });
    expect(away.headers.get('location')).toMatch(/^\/review\/sign-in/);
    expect((await join(token)).status).toBe(404);
    expect((await administer('access', { email })).status).toBe(409);
    expect((await administer('reactivate', { email })).status).toBe(303);
    expect(await whoIs(cookie)).toBeNull();
    expect((await post('/review/sign-in', { email, password: PASSWORD })).status).toBe(303);
    expect((await actionsOn(email)).slice(-2)).toEqual([
      `${ROOT} reviewer_deactivated`,
      `${ROOT} reviewer_reactivated`,
    ]);
  });

  test('a reviewer can neither open the administrators’ page nor send its forms', async () => {
    const email = freshEmail();
    const { cookie } = await signInReviewer(server.services, { email });
    const page = await openPage(server, '/review/reviewers', { headers: { cookie } });
    expect(page.status).toBe(403);
    expect(page.text).not.toContain(ROOT);
    for (const intent of ['invite', 'access', 'administrator', 'deactivate'])
      expect((await administer(intent, { email, role: 'administrator' }, cookie)).status).toBe(403);
    expect(await roleOf(email)).toBe('reviewer');
  });

  test('the last active administrator stays one, even when two demote each other at once', async () => {
    expect((await administer('reviewer', { email: ROOT })).status).toBe(409);
    expect((await administer('deactivate', { email: ROOT })).status).toBe(409);
    const other = freshEmail();
    await signInReviewer(server.services, { email: other, role: 'administrator' });
    const { accounts: service } = server.services;
    for (let round = 0; round < 5; round++) {
      const results = await Promise.allSettled([
        service.setRole({ actor: ROOT, email: other, role: 'reviewer' }),
        service.deactivate({ actor: other, email: ROOT }),
      ]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      await server.database.db
        .update(reviewers)
        .set({ role: 'administrator', deactivatedAt: null })
        .where(eq(reviewers.email, results[0].status === 'fulfilled' ? other : ROOT));
    }
    root = { cookie: await freshCookie(ROOT) };
    // With another administrator, this one may step down.
    expect((await administer('reviewer', { email: ROOT })).status).toBe(303);
    await service.setRole({ actor: other, email: ROOT, role: 'administrator' });
  });

  test('changing the password requires the current one, and ends all other sessions', async () => {
    const email = freshEmail();
    const { cookie: elsewhere } = await signInReviewer(server.services, { email });
    const here = await freshCookie(email);
    const change = (password: string) =>
      post(
        '/review/account',
        { intent: 'password', password, newPassword: 'another good password' },
        here,
      );
    const wrong = await change('not this one');
    expect([wrong.status, await whoIs(elsewhere)]).toEqual([401, email]);
    expect((await change(PASSWORD)).status).toBe(200);
    expect([await whoIs(here), await whoIs(elsewhere)]).toEqual([email, null]);
    expect((await post('/review/sign-in', { email, password: PASSWORD })).status).toBe(401);
  });

  test('reviewers can end only their own sessions', async () => {
    const mine = freshEmail();
    const { cookie: first } = await signInReviewer(server.services, { email: mine });
    const second = await freshCookie(mine);
    const { cookie: foreign, email: theirs } = await signInReviewer(server.services, {
      email: freshEmail(),
    });
    const end = async (of: string, by: string) => {
      const own = await server.services.accounts.signedIn(new Headers({ cookie: of }));
      await post('/review/account', { intent: 'end-session', session: own?.sessionId ?? '' }, by);
    };
    await end(foreign, second);
    expect(await whoIs(foreign)).toBe(theirs);
    await end(first, second);
    expect([await whoIs(first), await whoIs(second)]).toEqual([null, mine]);
  });

  test('forms from strangers and from other sites change nothing', async () => {
    const before = await server.services.accounts.list();
    for (const path of ['/review/reviewers', '/review/account', '/review/account/second-factor'])
      expect((await post(path, { intent: 'deactivate', email: ROOT })).status).toBe(302);
    const foreign = await server.get('/review/reviewers', {
      method: 'POST',
      body: new URLSearchParams({ intent: 'invite', email: freshEmail(), role: 'administrator' }),
      headers: { origin: 'https://evil.example', cookie: root.cookie },
    });
    expect(foreign.status).toBe(403);
    expect(await server.services.accounts.list()).toEqual(before);
  });
});

/** The key that the page shows for typing, in groups of four. */
const keyIn = (html: string) =>
  /<code>([A-Z2-7]{4}(?: [A-Z2-7]{1,4})+)<\/code>/.exec(html)?.[1] ?? '';

async function freshCookie(email: string): Promise<string> {
  return cookieOf(await post('/review/sign-in', { email, password: PASSWORD }));
}
