import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServerBuild } from '@remix-run/node';
import type { Page } from 'playwright/test';
import { PASSWORD, signInReviewer } from '../test/support/reviewer.ts';
import { totp } from '../test/support/totp.ts';
import { exportFor } from '../test/review/exports.ts';
import { test } from './support/accessible.ts';
import { signIn } from './support/reviewer.ts';
import { DESKTOP, expect } from './support/test.ts';

/**
 * Every page, full and empty: axe finds no violation in either theme, and nothing is wider than the screen,
 * on a phone and at a zoom of 200 %.
 */

const LISTS = [
  '/',
  '/?node=node_macmini',
  '/?replay=24h',
  '/?view=globe',
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
  '/search?q=node',
  '/search?q=nobody',
  '/embed',
];
const INFORMATION = [
  '/docs',
  '/docs/mesh',
  '/docs/computes',
  '/docs/registry',
  '/docs/errors',
  '/docs/operators',
  '/docs/identity',
  '/docs/status-pages',
  '/docs/embed',
  '/docs/privacy',
  '/network',
  '/status',
  '/there/is/nothing',
];
const REGISTRATION = [
  '/register',
  // Each step, and with errors at its fields when a later step was requested.
  '/register?step=what&name=garage',
  '/register?step=what&name=another&node=node_blocked',
  '/register?step=what&name=another&node=node_macmini',
  '/register?step=check&name=another&class=M&region=a%20b',
  '/register?step=check&name=another&node=node_macmini',
  '/register/reg_nobodysnobodysnobodys1',
];
const SIGN_IN = ['/review/sign-in', '/review/join/used'];
/** For an administrator; WAITING, DECIDED, ACTIVE and REVOKED are the notes of registrations. */
const QUEUE = [
  '/review',
  '/review?open=WAITING',
  '/review?open=DECIDED',
  '/review/registrations',
  '/review/registrations?q=nobody',
  '/review/registrations/WAITING',
  '/review/registrations/ACTIVE',
  '/review/registrations/REVOKED',
  '/review/registrations/MESH-nobody-AAAAAA',
];
const ADMINISTRATION = [
  '/review/reviewers',
  '/review/account',
  '/review/account/second-factor',
  '/review/history',
  '/review/history?q=nobody',
  '/review/names',
  '/review/nodes',
  '/review/nodes?node=node_pinned',
  '/review/nodes?match=*&silent=2030-01-01',
  '/review/nodes?removed=2',
  '/review/there/is/nothing',
];
const PAYMENTS = [
  '/review/payments?tab=accept',
  '/review/payments?tab=look',
  '/review/payments?tab=imports',
  '/review/payments?tab=accept&done=WAITING,ACTIVE',
];

const LONG_ADDRESS = `${'w'.repeat(64)}@${'m'.repeat(60)}.example`;

const withNotes = (path: string, states: Record<string, { note: string }>) =>
  Object.entries(states).reduce(
    (filled, [state, { note }]) => filled.replace(state.toUpperCase(), note),
    path,
  );
const refused = (page: Page) => expect(page.getByRole('alert')).toBeVisible();

test('the map and the lists', async ({ page, open, check }) => {
  for (const path of LISTS) {
    await open(path);
    if (path === '/') await expect(page.getByRole('status')).toHaveText('Live');
    await check(path);
  }
});

test('the results of a search in the header', { tag: DESKTOP }, async ({ page, open, check }) => {
  await open('/status');
  await page.keyboard.press('/');
  await page.keyboard.type('node');
  await expect(page.getByRole('listbox', { name: 'Results' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await check('results');
});

test('documentation, status and pages that do not exist', async ({ open, check }) => {
  for (const path of INFORMATION) {
    await open(path);
    await check(path);
  }
});

test('registration', async ({ page, server, states, open, press, heading, check }) => {
  const registrations = Object.values(states).map(({ path }) => path);
  const notifications = [states.waiting, states.active].map(({ path }) => `${path}/notifications`);
  for (const path of [...REGISTRATION, ...registrations, ...notifications]) {
    await open(path);
    await check(path);
  }
  await open('/register?step=what&name=own');
  await expect(page.getByRole('button', { name: /node_macmini/ })).toBeVisible();
  await check('nodes that were registered in this browser');
  const { lapsed } = states;
  await open(lapsed.path);
  await server.services.registration.start({
    action: 'start',
    name: lapsed.name,
    label: lapsed.name,
    class: 'M',
    region: 'EU',
    nodeId: 'node_other',
    kinds: ['node'],
  });
  await press('I have paid');
  await refused(page);
  await check('a confirmation that came too late');
  await page.goto('about:blank');
  await page.setContent(`<form method="post" action="${server.url}/register"><button>Go</button>`);
  await press('Go');
  await expect(heading('The form was refused')).toBeVisible();
  await check('a form of another site');
});

test('the review queue', async ({ page, server, states, administrator, open, press, check }) => {
  await signIn(page, server, administrator);
  for (const path of QUEUE) {
    await open(withNotes(path, states));
    await check(path);
  }
  await open('/review');
  await page.getByLabel(`Select ${states.waiting.name}`).check();
  await check('a selected registration');
  await press('Reject 1 registration');
  await refused(page);
  await check('a rejection of several without a reason');
  await page.getByLabel('Requested by the operator.').check();
  await press('Reject 1 registration');
  await expect(page.getByRole('heading', { name: 'Rejecting 1 registration' })).toBeFocused();
  await check('registrations that are rejected together');
  await press(`Undo rejecting ${states.waiting.name}`);
  await expect(page.getByLabel(`Select ${states.waiting.name}`)).toBeEnabled();
});

test('accounts, names, nodes and history', async ({
  page,
  server,
  administrator,
  open,
  press,
  heading,
  check,
}) => {
  await signInReviewer(server.services, { email: LONG_ADDRESS });
  await signIn(page, server, administrator);
  for (const path of ADMINISTRATION) {
    await open(path);
    await check(path);
  }
  await open('/review/reviewers');
  await page.getByLabel('Email address').fill('zoe@example.org');
  await press('Create link');
  await expect(heading('Link for zoe@example.org')).toBeVisible();
  await check('a link for a new reviewer');

  await signIn(
    page,
    server,
    await signInReviewer(server.services, { email: 'reviewer@example.org' }),
  );
  await open('/review/reviewers');
  await check('a page for administrators only');
});

test('payments', async ({ page, server, states, administrator, open, press, heading, check }) => {
  await signIn(page, server, administrator);
  for (const path of PAYMENTS) {
    await open(withNotes(path, states));
    await check(path);
  }
  await open('/review/payments?tab=imports');
  const upload = async (text: string) => {
    const file = { name: 'bank.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.getByLabel('CSV file').setInputFiles(file);
    await press('Import');
  };
  await upload('Buchungstag;Wer;Verwendungszweck;Betrag\r\n21.11.2026;Zoe;nichts;5,00');
  await expect(heading('Choose columns')).toBeVisible();
  await check('the columns of an export');
  await page.getByLabel('Date', { exact: true }).selectOption('Buchungstag');
  await page.getByLabel('Amount', { exact: true }).selectOption('Wer');
  await page.getByLabel(/^Note/).selectOption('Verwendungszweck');
  await page.getByLabel('Date format').selectOption('day.month.year: 20.11.2026');
  await press('Import with these columns');
  await refused(page);
  await check('columns that do not fit');
  await upload(exportFor([]));
  await expect(heading('No new payments')).toBeVisible();
  await check('the result of an import');
});

test('signing in, with and without a second factor', async ({
  page,
  server,
  open,
  press,
  heading,
  check,
}) => {
  const link = await server.services.accounts.invite('system', {
    email: 'eve@example.org',
    role: 'reviewer',
  });
  for (const path of [...SIGN_IN, `/review/join/${link}`]) {
    await open(path);
    await check(path);
  }
  await server.services.accounts.withdraw({ actor: 'system', email: 'eve@example.org' });
  await page.getByLabel('Name', { exact: true }).fill('Eve');
  await page.getByLabel('Password').fill(PASSWORD);
  await press('Create account and sign in');
  await refused(page);
  await expect(page.getByRole('link', { name: 'Sign in with an existing account' })).toBeVisible();
  await check('a link that was withdrawn while its form was open');

  const email = 'factor@example.org';
  await signIn(page, server, await signInReviewer(server.services, { email }));
  await open('/review/account/second-factor');
  await page.getByLabel('Current password').fill(PASSWORD);
  await press('Show QR code');
  const key = await page.getByRole('definition').first().innerText();
  await check('the key of a second factor');
  const code = page.getByRole('textbox', { name: 'Code' });
  await code.fill('000000');
  await press('Turn on');
  await refused(page);
  await check('a wrong code in the set-up');
  await code.fill(totp(key));
  await press('Turn on');
  await expect(heading('Your recovery codes')).toBeVisible();
  await check('recovery codes');
  for (const path of ['/review/account/second-factor', '/review/account']) {
    await open(path);
    await check(`${path} with a second factor`);
  }

  await page.context().clearCookies();
  await open('/review/sign-in');
  for (const password of ['not the password', PASSWORD]) {
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(password);
    await press('Sign in');
    if (password === PASSWORD) continue;
    await refused(page);
    await check('a wrong password');
  }
  await expect(heading('Second factor')).toBeVisible();
  await check('the second factor at sign-in');
  await code.fill('000000');
  await press('Continue');
  await refused(page);
  await check('a wrong code at sign-in');
});

test('an internal error', async ({ page, server, administrator, open, check }) => {
  await signIn(page, server, administrator);
  const { db } = server.database;
  await db.execute('alter table review_decisions rename to hidden_decisions');
  try {
    await open('/review');
    await check('an internal error');
  } finally {
    await db.execute('alter table hidden_decisions rename to review_decisions');
  }
});

test('no page is left out', { tag: DESKTOP }, async ({ server, states, administrator }) => {
  const link = await server.services.accounts.invite('system', {
    email: 'mia@example.org',
    role: 'reviewer',
  });
  const visited = [
    ...[...LISTS, ...INFORMATION, ...REGISTRATION, ...SIGN_IN],
    ...[...QUEUE, ...ADMINISTRATION, ...PAYMENTS].map((path) => withNotes(path, states)),
    ...Object.values(states).map(({ path }) => path),
    `${states.waiting.path}/notifications`,
    `/review/join/${link}`,
  ];
  const shown = new Set<string>();
  for (const path of visited)
    for (const cookie of ['', administrator.cookie]) {
      const html = await (await server.get(path, { headers: { cookie } })).text();
      const [, modules = ''] = /__remixRouteModules = \{(.*?)\}/.exec(html) ?? [];
      for (const [, route = ''] of modules.matchAll(/"([^"]+)":/g)) shown.add(route);
    }
  expect((await pageRoutes()).filter((route) => !shown.has(route))).toEqual([]);
});

const NOT_BY_ADDRESS = [
  // Always redirects.
  'routes/review_.sign-out',
  // Only shown after the password; the test of signing in checks it.
  'routes/review_.second-factor',
];

/** The routes that are pages. Resource routes have no component. */
async function pageRoutes(): Promise<string[]> {
  const file = join(import.meta.dirname, '..', 'build', 'server', 'index.js');
  const { routes } = (await import(pathToFileURL(file).href)) as ServerBuild;
  return Object.values(routes)
    .flatMap((route) => (route?.module.default ? [route.id] : []))
    .filter((id) => !NOT_BY_ADDRESS.includes(id));
}
