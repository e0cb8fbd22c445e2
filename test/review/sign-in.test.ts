import { createHook } from 'node:async_hooks';
import { scryptSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { reviewerAccounts, reviewerSessions } from '#db/schema/index.ts';
import { HASHES_AT_ONCE, HASHES_WAITING } from '#server/accounts/passwords.ts';
import { openPage } from '../pages/page.ts';
import { quickPasswords } from '../support/quick-passwords.ts';
import { PASSWORD, signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { totp } from '../support/totp.ts';

/** Reached sooner than those of production, which are tested in server/entry/rate-limits.test.ts. */
const LIMITS = {
  passwordsOfClient: { points: 8, seconds: 900 },
  passwordsOfClientForAddress: { points: 4, seconds: 900 },
  passwordsForAddress: { points: 8, seconds: 900 },
  codes: { points: 6, seconds: 900 },
};
/** How many wrong passwords a client sends at most where another limit is tested. */
const PER_CLIENT = 3;

let server: TestServer;
const start = async (options: Parameters<typeof startTestServer>[0] = {}) => {
  const env = { TRUST_PROXY: '1', ...options.env };
  server = await startTestServer({ limits: LIMITS, ...options, env });
};

/** The proxy states the client's address, so each test can have its own clients. */
let network = 0;
const freshClient = () => `10.0.${network >> 8}.${network++ & 255}`;
let client = '';
beforeEach(() => {
  client = freshClient();
});

/** Sends a form the way a browser without scripts does. */
function post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return server.get(path, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers: { origin: server.url, 'x-forwarded-for': client, ...headers },
  });
}

const signIn = (email: string, password = PASSWORD, headers = {}, next = '') =>
  post(`/review/sign-in${next}`, { email, password }, headers);

/** The text of the page's alert. */
async function alertIn(answer: Response): Promise<string> {
  return /role="alert"[^>]*>(.*?)<\/div>/.exec(await answer.text())?.[1] ?? '';
}
const cookieOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.replace(/;.*/, ''))
    .join('; ');
/** The cookie by which a browser is known later. */
const knownOf = (answer: Response) =>
  cookieOf(answer)
    .split('; ')
    .find((cookie) => cookie.includes('known_browser')) ?? '';
const whoIs = (cookie: string) =>
  server.services.accounts.signedIn(new Headers({ cookie })).then((found) => found?.email ?? null);

const WRONG_PASSWORD = 'not the password';
const WRONG = 'The email address or password is incorrect. Try again.';

describe('signing in', () => {
  beforeAll(async () => {
    await start();
    await signInReviewer(server.services, { email: 'root@example.org', role: 'administrator' });
    await signInReviewer(server.services, { email: 'ada@example.org' });
    await signInReviewer(server.services, { email: 'gone@example.org' });
    await server.services.accounts.deactivate({
      actor: 'root@example.org',
      email: 'gone@example.org',
    });
  });
  afterAll(() => server.stop());

  test('a session stores neither the client’s address nor its user agent', async () => {
    await signIn('ada@example.org', PASSWORD, {
      'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0',
    });
    const rows: Record<string, unknown>[] = await server.database.db
      .select()
      .from(reviewerSessions);
    expect(Object.keys(rows[0] ?? {}).sort()).toEqual([
      'createdAt',
      'expiresAt',
      'id',
      'token',
      'updatedAt',
      'userAgent',
      'userId',
    ]);
    expect(rows.map(({ userAgent }) => userAgent)).toContain('Firefox on Linux');
    expect(JSON.stringify(rows) + server.log()).not.toContain(client);
  });

  test('visitors are sent to sign in, and then back to the page they asked for', async () => {
    const away = await server.get('/review?q=1', { redirect: 'manual' });
    expect(away.status).toBe(302);
    const to = away.headers.get('location') ?? '';
    expect(to).toBe('/review/sign-in?next=%2Freview%3Fq%3D1');
    const back = await post(to, { email: ' Ada@Example.ORG ', password: PASSWORD });
    expect([back.status, back.headers.get('location')]).toEqual([303, '/review?q=1']);
    expect(await whoIs(cookieOf(back))).toBe('ada@example.org');
  });

  test.each([
    '//evil',
    '/\\evil',
    'https:evil',
    'https://evil/review',
    '/review/../..//evil',
    '/registry',
    'javascript:alert(1)',
  ])('next=%s leads to /review only', async (next) => {
    const answer = await signIn(
      'ada@example.org',
      PASSWORD,
      {},
      `?next=${encodeURIComponent(next)}`,
    );
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/review']);
    const again = await server.get(`/review/sign-in?next=${encodeURIComponent(next)}`, {
      redirect: 'manual',
      headers: { cookie: cookieOf(answer) },
    });
    expect([again.status, again.headers.get('location')]).toEqual([302, '/review']);
  });

  test('an unknown address, a wrong password and a deactivated account get the same answer, after one hash of the password', async () => {
    const cases: [string, string][] = [
      ['nobody@example.org', PASSWORD],
      ['ada@example.org', 'not the password'],
      ['gone@example.org', PASSWORD],
      ['gone@example.org', 'not the password'],
    ];
    const answers = new Set<string>();
    // Hashing takes nearly all of the response time. Counting hashes does not depend on the machine's speed.
    let hashed = 0;
    const hook = createHook({ init: (_, type) => void (type === 'SCRYPTREQUEST' && hashed++) });
    const hashes: number[] = [];
    hook.enable();
    for (const [email, password] of cases) {
      hashed = 0;
      const answer = await signIn(email, password);
      hashes.push(hashed);
      const names = [...answer.headers.keys()].filter((name) => name !== 'x-request-id').sort();
      answers.add(JSON.stringify([answer.status, names, await alertIn(answer)]));
    }
    hook.disable();
    expect([...answers].map((text) => JSON.parse(text))).toEqual([
      [401, expect.not.arrayContaining(['set-cookie']), WRONG],
    ]);
    expect(hashes).toEqual(cases.map(() => 1));
    // A wrong password is not an internal error.
    expect(server.log()).not.toContain('"level":50');
  });

  test('a refused form keeps the address but not the password', async () => {
    const html = await (await signIn('ada@example.org', 'not the password')).text();
    expect(html).toContain('value="ada@example.org"');
    expect(html).not.toContain('not the password');
  });

  test('wrong passwords are limited for each client, whichever addresses it tries, and the refusal says when to try again', async () => {
    const { points } = LIMITS.passwordsOfClient;
    for (let n = 0; n < points; n++)
      expect((await signIn(`nobody-${n}@example.org`, WRONG_PASSWORD)).status).toBe(401);
    const refused = await signIn('ada@example.org');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(await alertIn(refused)).toMatch(/^Too many wrong passwords. Try again in 15 minutes\.$/);
    client = freshClient();
    expect((await signIn('ada@example.org')).status).toBe(303);
  });

  test.each(['nobody@example.org', 'ada@example.org', 'gone@example.org'])(
    'wrong passwords are limited for each address, from all clients together, with or without an account: %s',
    async (email) => {
      const typed = email.toUpperCase();
      // From many clients at once: none slips in between counting and checking.
      const answers = await Promise.all(
        Array.from({ length: LIMITS.passwordsForAddress.points + 3 }, (_, n) => {
          if (n % PER_CLIENT === 0) client = freshClient();
          return signIn(n % 2 ? email : typed, WRONG_PASSWORD);
        }),
      );
      const refused = answers.filter(({ status }) => status === 429).length;
      // Attempts of earlier tests count too.
      expect(refused).toBeGreaterThanOrEqual(3);
      expect(refused).toBeLessThanOrEqual(6);
      client = freshClient();
      expect((await signIn(email)).status).toBe(429);
    },
  );

  test('a browser that has signed in before is not locked out by wrong passwords from elsewhere', async () => {
    await signInReviewer(server.services, { email: 'kim@example.org' });
    await signInReviewer(server.services, { email: 'lee@example.org' });
    const own = knownOf(await signIn('kim@example.org'));
    const others = knownOf(await signIn('lee@example.org'));
    for (let n = 0; n < LIMITS.passwordsForAddress.points; n++) {
      if (n % PER_CLIENT === 0) client = freshClient();
      expect((await signIn('kim@example.org', WRONG_PASSWORD)).status).toBe(401);
    }
    const forged = `${own.slice(0, -1)}${own.endsWith('A') ? 'B' : 'A'}`;
    for (const cookie of ['', others, forged, `${others.slice(0, 41)}${own.slice(41)}`]) {
      client = freshClient();
      expect((await signIn('kim@example.org', PASSWORD, { cookie })).status).toBe(429);
    }
    // With another cookie of the browser, and another spelling of the address.
    const known = { cookie: `theme=dark; ${own}` };
    expect((await signIn(' KIM@example.org', PASSWORD, known)).status).toBe(303);
    // It has a count of its own, from all networks together.
    for (let n = 0; n < LIMITS.passwordsForAddress.points; n++) {
      if (n % PER_CLIENT === 0) client = freshClient();
      expect((await signIn('kim@example.org', WRONG_PASSWORD, known)).status).toBe(401);
    }
    client = freshClient();
    expect((await signIn('kim@example.org', PASSWORD, known)).status).toBe(429);
  });

  test('wrong passwords from one client for one address leave other addresses alone', async () => {
    for (let n = 0; n < LIMITS.passwordsOfClientForAddress.points; n++)
      expect((await signIn('nobody-at-all@example.org', WRONG_PASSWORD)).status).toBe(401);
    expect((await signIn('nobody-at-all@example.org', WRONG_PASSWORD)).status).toBe(429);
    expect((await signIn('root@example.org')).status).toBe(303);
  });

  test('a browser is known to every account it has signed in to, by a cookie that names none', async () => {
    const lee = knownOf(await signIn('lee@example.org'));
    const both = knownOf(await signIn('root@example.org', PASSWORD, { cookie: lee }));
    const { knownBrowser } = server.services.accounts;
    const headers = new Headers({ cookie: both });
    const id = knownBrowser(headers, 'lee@example.org');
    expect(id).toMatch(/^[\w-]{22}$/);
    expect(knownBrowser(headers, 'root@example.org')).toBe(id);
    expect(knownBrowser(headers, 'ada@example.org')).toBeNull();
    expect(knownOf(await signIn('root@example.org', PASSWORD, { cookie: both }))).toBe(both);
    expect(Buffer.from(both, 'base64url').toString('latin1')).not.toMatch(/lee|root|example/);
  });

  test('correct passwords do not count, and one resets the count of wrong ones', async () => {
    await signInReviewer(server.services, { email: 'eve@example.org' });
    // More than are let through for one address from everywhere, and, in two rounds, from one client.
    for (let round = 0; round < 4; round++) {
      if (round % 2 === 0) client = freshClient();
      for (let n = 0; n < PER_CLIENT; n++)
        expect((await signIn('eve@example.org', WRONG_PASSWORD)).status).toBe(401);
      expect((await signIn('eve@example.org')).status).toBe(303);
    }
  });

  test('signing in ends the browser’s earlier session, and a forged cookie is worthless before and after', async () => {
    const { cookie: planted } = await signInReviewer(server.services, {
      email: 'mallory@example.org',
    });
    await signInReviewer(server.services, { email: 'bob@example.org' });
    const signed = await signIn('bob@example.org', PASSWORD, { cookie: planted });
    expect(await whoIs(cookieOf(signed))).toBe('bob@example.org');
    expect(cookieOf(signed)).not.toBe(planted);
    expect(await whoIs(planted)).toBeNull();

    const forged = 'mesh.session_token=chosen-by-somebody-else.c2lnbmF0dXJl';
    expect(await whoIs(forged)).toBeNull();
    const after = await signIn('bob@example.org', PASSWORD, { cookie: forged });
    expect(cookieOf(after)).not.toContain('chosen-by-somebody-else');
    expect(await whoIs(forged)).toBeNull();
  });

  test('a form from another site can sign nobody in or out', async () => {
    for (const foreign of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await signIn('bob@example.org', PASSWORD, foreign)).status).toBe(403);
    const signed = cookieOf(await signIn('bob@example.org'));
    await post('/review/sign-out', {}, { cookie: signed, origin: 'https://evil.example' });
    await server.get('/review/sign-out', { headers: { cookie: signed } });
    expect(await whoIs(signed)).toBe('bob@example.org');
  });

  test('signing out ends the session in the database and clears the cookie', async () => {
    const signed = cookieOf(await signIn('bob@example.org'));
    const out = await post('/review/sign-out', {}, { cookie: signed });
    expect([out.status, out.headers.get('location')]).toEqual([303, '/review/sign-in']);
    expect(out.headers.getSetCookie().join()).toMatch(/mesh\.session_token=;.*Max-Age=0/);
    expect(await whoIs(signed)).toBeNull();
  });

  test('with a second factor the password alone is not enough; it takes a code or an unused recovery code', async () => {
    const { cookie } = await signInReviewer(server.services, { email: 'two@example.org' });
    const headers = { cookie };
    const own = await server.services.accounts.signedIn(new Headers(headers));
    if (!own) throw new Error('not signed in');
    const { uri } = await server.services.accounts.beginSecondFactor(
      own,
      PASSWORD,
      new Headers(headers),
    );
    const secret = new URL(uri).searchParams.get('secret') ?? '';
    const typed = totp(secret);
    const { recoveryCodes, cookies } = await server.services.accounts.confirmSecondFactor(
      own,
      typed,
      new Headers(headers),
    );
    expect(recoveryCodes).toHaveLength(10);
    // The session gets a new id when the account becomes better protected.
    expect(await whoIs(cookie)).toBeNull();
    expect(await whoIs(cookies.map((one) => one.replace(/;.*/, '')).join('; '))).toBe(
      'two@example.org',
    );

    const first = async () => {
      const answer = await signIn('two@example.org', PASSWORD, {}, '?next=/review/account');
      expect(answer.headers.get('location')).toBe('/review/second-factor?next=%2Freview%2Faccount');
      expect(await whoIs(cookieOf(answer))).toBeNull();
      return cookieOf(answer);
    };
    const second = (code: string, cookie: string) =>
      post('/review/second-factor?next=/review/account', { code }, { cookie });

    // The code that turned it on was used, too.
    expect((await second(typed, await first())).status).toBe(401);
    const one = await first();
    const wrong = await second('000000', one);
    expect([wrong.status, await alertIn(wrong)]).toEqual([
      401,
      'This code is incorrect. Enter the one your app shows now.',
    ]);
    const shown = totp(secret, 1);
    const { cookie: planted } = await signInReviewer(server.services, {
      email: 'somebody@example.org',
    });
    const right = await second(shown, `${planted}; ${one}`);
    expect([right.status, right.headers.get('location')]).toEqual([303, '/review/account']);
    expect(await whoIs(cookieOf(right))).toBe('two@example.org');
    // The session that the browser had before ends, be it one that somebody else has planted.
    expect(await whoIs(planted)).toBeNull();
    // Somebody who saw the code being typed and knows the password can't use it again.
    const waiting = await first();
    const again = await second(shown, waiting);
    expect([again.status, await alertIn(again)]).toEqual([
      401,
      'This code was already used. Enter the next one your app shows.',
    ]);
    expect(await whoIs(cookieOf(again))).toBeNull();
    expect(await whoIs(cookieOf(right))).toBe('two@example.org');

    // The sign-in still accepts an unused code.
    const [code = ''] = recoveryCodes;
    expect((await second(` ${code.toUpperCase().replace('-', ' ')} `, waiting)).status).toBe(303);
    expect((await second(code, await first())).status).toBe(401);
    // Without the first step a code is not accepted.
    expect((await second(totp(secret, 1), '')).headers.get('location')).toMatch(
      /^\/review\/sign-in/,
    );
  });

  test('wrong codes are limited for each client, and for each account from all clients together', async () => {
    const statuses: number[] = [];
    let waiting = '';
    for (let n = 0; n <= 10; n++) {
      client = freshClient();
      // Five wrong codes end a sign-in, so guessing takes a new one.
      if (n % 5 === 0) waiting = cookieOf(await signIn('two@example.org'));
      const answer = await post('/review/second-factor', { code: '000000' }, { cookie: waiting });
      statuses.push(answer.status);
    }
    // The test before entered a wrong one.
    expect(statuses.slice(0, 9)).toEqual(Array(9).fill(401));
    expect(statuses.at(-1)).toBe(429);

    client = freshClient();
    for (let n = 0; n < LIMITS.codes.points; n++)
      await post('/review/second-factor', { code: '000000' }, { cookie: 'mesh.two_factor=x.y' });
    const refused = await post(
      '/review/second-factor',
      { code: '1' },
      { cookie: 'mesh.two_factor=x.y' },
    );
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  });
});

describe('passwords', () => {
  afterEach(() => server.stop());

  test('are stored as hashes that take scrypt 32 MB and 2^14 rounds', async () => {
    await start({ passwordHashing: null });
    await signInReviewer(server.services);
    const [row] = await server.database.db.select().from(reviewerAccounts);
    const [salt = '', hash] = row?.password?.split(':') ?? [];
    expect(salt).toMatch(/^[0-9a-f]{32}$/);
    const work = { N: 16_384, r: 16, p: 1, maxmem: 64 * 2 ** 20 };
    expect(scryptSync(PASSWORD, salt, 64, work).toString('hex')).toBe(hash);
    expect((await signIn('ada@example.org', WRONG_PASSWORD)).status).toBe(401);
  });

  test('of many sign-ins at once a few wait, the others get 503 with Retry-After', async () => {
    let gate = Promise.resolve();
    const hash = (password: string) => gate.then(() => quickPasswords.hash(password));
    await start({ passwordHashing: { ...quickPasswords, hash } });
    await signInReviewer(server.services);
    let open = () => {};
    gate = new Promise((resolve) => (open = resolve));
    const answers: Response[] = [];
    const sent = Array.from({ length: 40 }, async (_, n) => {
      const from = { 'x-forwarded-for': freshClient() };
      answers.push(await signIn(`many-${n}@example.org`, WRONG_PASSWORD, from));
    });
    const served = HASHES_AT_ONCE + HASHES_WAITING;
    await expect.poll(() => answers.length).toBe(40 - served);
    for (const refused of answers) {
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(await alertIn(refused)).toMatch(/^Too many people are signing in/);
    }
    open();
    await Promise.all(sent);
    expect(answers.slice(40 - served).map(({ status }) => status)).toEqual(Array(served).fill(401));
    expect((await signIn('ada@example.org')).status).toBe(303);
  });
});

describe('the cookie', () => {
  afterEach(() => server.stop());

  test.each([
    [
      'http',
      {},
      [
        /^mesh\.session_token=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/,
        /^mesh\.known_browser=[\w.-]+; Max-Age=15552000; Path=\/review; HttpOnly; SameSite=Strict$/,
      ],
    ],
    [
      'https',
      { PUBLIC_URL: 'https://mesh.example' },
      [
        /^__Secure-mesh\.session_token=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
        /^__Secure-mesh\.known_browser=[\w.-]+; Max-Age=15552000; Path=\/review; HttpOnly; Secure; SameSite=Strict$/,
      ],
    ],
  ])('over %s is out of reach of scripts and other sites', async (_, env, expected) => {
    await start({ env });
    const { cookie } = await signInReviewer(server.services);
    const from = 'PUBLIC_URL' in env ? { origin: env.PUBLIC_URL } : {};
    const answer = await signIn('ada@example.org', PASSWORD, from);
    expect(answer.headers.getSetCookie()).toEqual(
      expected.map((cookie) => expect.stringMatching(cookie) as unknown),
    );
    const page = await openPage(server, '/registry', { headers: { cookie: cookieOf(answer) } });
    expect(page.headers.has('set-cookie')).toBe(false);
    const out = await post('/review/sign-out', {}, { cookie: cookieOf(answer), ...from });
    expect(out.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(
        /session_token=; Max-Age=0; Path=\/; HttpOnly; (Secure; )?SameSite=Lax$/,
      ),
    );

    // Between the two steps of a sign-in too.
    const account = await server.services.accounts.signedIn(new Headers({ cookie }));
    if (!account) throw new Error('not signed in');
    const headers = new Headers({ cookie });
    const { uri } = await server.services.accounts.beginSecondFactor(account, PASSWORD, headers);
    const code = totp(new URL(uri).searchParams.get('secret') ?? '');
    await server.services.accounts.confirmSecondFactor(account, code, headers);
    const pending = await signIn('ada@example.org', PASSWORD, from);
    expect(pending.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(
        /two_factor=[^;]+; Max-Age=600; Path=\/; HttpOnly; (Secure; )?SameSite=Lax$/,
      ),
    );
    for (const line of pending.headers.getSetCookie())
      expect(line.includes('; Secure')).toBe('PUBLIC_URL' in env);
  });
});
