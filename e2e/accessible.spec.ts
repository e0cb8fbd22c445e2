import axe from 'axe-core';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServerBuild } from '@remix-run/node';
import type { Page } from 'playwright/test';
import { FakeClock } from '../test/support/fake-clock.ts';
import { startTestServer } from '../test/support/server.ts';
import { PASSWORD, signInReviewer } from '../test/support/reviewer.ts';
import { totp } from '../test/support/totp.ts';
import { exportFor } from '../test/review/exports.ts';
import { createDataDirectory } from './support/database.ts';
import { seedEveryState } from './support/seed-all-states.ts';
import { signIn } from './support/reviewer.ts';
import { expect, test } from './support/test.ts';

/** Every page, with something on it, and where there is nothing. */
const PAGES = [
  '/',
  '/?node=node_macmini',
  '/?view=list&q=node',
  '/?view=list&q=nobody',
  '/computes',
  '/computes?q=nobody',
  '/registry',
  '/registry?q=nobody',
  '/registry/garage',
  '/registry/nobody',
  '/nodes/node_macmini',
  '/nodes/node_blocked',
  '/nodes/node_never_seen',
  '/docs',
  '/docs/operators',
  '/docs/status-pages',
  '/docs/privacy',
  '/status',
  '/there/is/nothing',
  '/register',
  // Each step, with what is wrong at its fields where a later one was asked for.
  '/register?step=what&name=garage',
  '/register?step=what&name=another&node=node_blocked',
  '/register?step=check&name=another&class=M&region=a%20b',
  '/register?step=check&name=another&node=node_macmini',
  '/register/reg_nobodysnobodysnobodys1',
  '/review/sign-in',
  '/review/join/used',
];
/** For whom an administrator's session is there; WAITING and DECIDED are the notes of registrations. */
const REVIEW_PAGES = [
  '/review',
  '/review?open=WAITING',
  '/review?open=DECIDED',
  '/review/registrations',
  '/review/registrations?q=nobody',
  '/review/registrations/WAITING',
  '/review/registrations/ACTIVE',
  '/review/registrations/REVOKED',
  '/review/registrations/MESH-nobody-AAAAAA',
  '/review/reviewers',
  '/review/account',
  '/review/payments',
  '/review/payments?done=WAITING,ACTIVE',
  '/review/history',
  '/review/history?q=nobody',
  '/review/names',
  '/review/nodes',
  '/review/there/is/nothing',
];

const LONG_ADDRESS = `${'w'.repeat(64)}@${'m'.repeat(60)}.example`;

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations'],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    );
  });
}

/** Its loader always leads elsewhere. */
const NEVER_SHOWN = 'routes/review_.sign-out';

/** The routes that are pages: the others have no component. */
async function pageRoutes(): Promise<string[]> {
  const file = join(import.meta.dirname, '..', 'build', 'server', 'index.js');
  const { routes } = (await import(pathToFileURL(file).href)) as ServerBuild;
  return Object.values(routes)
    .flatMap((route) => (route?.module.default ? [route.id] : []))
    .filter((id) => id !== NEVER_SHOWN);
}

// What a theme changes is colours, what a screen changes is places: two runs see all of both.
test('axe finds nothing to mend on any page, and nothing is wider than the screen', async ({
  page,
  allowed,
}, info) => {
  const phone = info.project.name === 'phone';
  const colorScheme = phone ? 'dark' : 'light';
  // What the browser says of pages that are not there, and of refused forms.
  allowed.push(/status of (40\d|500)/);
  const data = await createDataDirectory();
  const clock = new FakeClock(Date.now());
  const server = await startTestServer({
    env: { DATA_DIR: data.path, RATE_LIMITS: 'off' },
    clock: clock.read,
  });
  const { services } = server;
  const states = await seedEveryState(server, clock);
  const { lapsed, waiting, decided, active, revoked } = states;
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });

  const seen = new Set<string>();
  /** At what the page shows now, also what is folded. */
  const look = async (what: string) => {
    await expect(page.locator('h1')).toHaveCount(1);
    for (const route of await page.evaluate(() => {
      for (const fold of document.querySelectorAll<HTMLDetailsElement>('main details'))
        fold.open = true;
      const { __remixRouteModules: routes } = window as { __remixRouteModules?: object };
      return Object.keys(routes ?? {});
    }))
      seen.add(route);
    expect.soft(await violations(page), `${what} ${colorScheme}`).toEqual([]);
    const wider = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await expect.poll(wider, what).toBeLessThanOrEqual(0);
    if (!phone) return;
    // Half the width of this phone's pixels is the same page at a zoom of 200 %, nearly.
    await page.setViewportSize({ width: 320, height: 640 });
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth), what)
      .toBe(320);
    await page.setViewportSize({ width: 390, height: 844 });
  };
  const open = (path: string) => page.goto(server.url + path);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const refused = () => expect(page.getByRole('alert')).toBeVisible();

  const link = await services.accounts.invite('system', {
    email: 'eve@example.org',
    role: 'reviewer',
  });
  const followed = Object.values(states).map(({ path }) => path);
  for (const path of [...PAGES, ...followed, `/review/join/${link}`]) {
    await open(path);
    if (path === '/') await expect(page.getByRole('status')).toHaveText('Live');
    await look(path);
  }
  await open(lapsed.path);
  await services.registration.start({
    action: 'start',
    name: lapsed.name,
    label: lapsed.name,
    class: 'M',
    region: 'EU',
    nodeId: 'node_other',
    kinds: ['node'],
  });
  await press('I did pay');
  await refused();
  await look('a confirmation that came too late');
  await page.goto('about:blank');
  await page.setContent(`<form method="post" action="${server.url}/register"><button>Go</button>`);
  await press('Go');
  await expect(heading('The form was refused')).toBeVisible();
  await look('a form of another site');

  const account = { email: 'ada@example.org', role: 'administrator' } as const;
  const administrator = await signInReviewer(services, account);
  await services.review.decide({
    note: decided.note,
    reviewer: account.email,
    decision: 'reject',
    reason: 'Nothing came.',
  });
  await signInReviewer(services, { email: LONG_ADDRESS });
  await signIn(page, server, administrator);
  const notes = { WAITING: waiting.note, DECIDED: decided.note, ACTIVE: active.note };
  for (const path of REVIEW_PAGES) {
    await open(
      Object.entries({ ...notes, REVOKED: revoked.note }).reduce(
        (path, [name, note]) => path.replace(name, note),
        path,
      ),
    );
    await look(path);
  }
  await open('/review/reviewers');
  await page.getByLabel('E-mail address').fill('zoe@example.org');
  await press('Make a link');
  await expect(heading('Link for zoe@example.org')).toBeVisible();
  await look('a link for a new reviewer');

  await open('/review/payments');
  const upload = async (text: string) => {
    const file = { name: 'bank.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.getByLabel('CSV file').setInputFiles(file);
    await press('Import');
  };
  await upload('Buchungstag;Wer;Verwendungszweck;Betrag\r\n21.11.2026;Zoe;nichts;5,00');
  await expect(heading('Where are the columns?')).toBeVisible();
  await look('the columns of an export');
  await page.getByLabel('Date', { exact: true }).selectOption('Buchungstag');
  await page.getByLabel('Amount', { exact: true }).selectOption('Wer');
  await page.getByLabel(/^Note/).selectOption('Verwendungszweck');
  await page.getByLabel('Dates are written').selectOption('day.month.year: 20.11.2026');
  await press('Import these columns');
  await refused();
  await look('columns that do not fit');
  await upload(exportFor([]));
  await expect(heading('Nothing new in this file')).toBeVisible();
  await look('what came of an import');

  await open('/review/account/second-factor');
  await look('no second factor');
  await page.getByLabel('Your password').fill(PASSWORD);
  await press('Show the QR code');
  const key = await page.getByRole('definition').first().innerText();
  await look('the key of a second factor');
  const code = page.getByRole('textbox', { name: 'Code' });
  await code.fill('000000');
  await press('Turn it on');
  await refused();
  await look('a wrong code in the set-up');
  await code.fill(totp(key));
  await press('Turn it on');
  await expect(heading('Your recovery codes')).toBeVisible();
  await look('recovery codes');
  for (const path of ['/review/account/second-factor', '/review/account']) {
    await open(path);
    await look(`${path} with a second factor`);
  }

  await page.context().clearCookies();
  await open('/review/sign-in');
  for (const password of ['not the password', PASSWORD]) {
    await page.getByLabel('E-mail address').fill(account.email);
    await page.getByLabel('Password').fill(password);
    await press('Sign in');
    if (password === PASSWORD) continue;
    await refused();
    await look('a wrong password');
  }
  await expect(heading('Second factor')).toBeVisible();
  await look('the second factor at sign-in');
  await code.fill('000000');
  await press('Go on');
  await refused();
  await look('a wrong code at sign-in');

  await signIn(page, server, await signInReviewer(services, { email: 'bob@example.org' }));
  await open('/review/reviewers');
  await look('what is for administrators');
  await server.database.db.execute('alter table review_decisions rename to hidden_decisions');
  await open('/review');
  await look('a mistake of ours');

  expect((await pageRoutes()).filter((route) => !seen.has(route))).toEqual([]);
  await page.close();
  await server.stop();
  await data.remove();
});
