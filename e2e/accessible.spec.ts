import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServerBuild } from '@remix-run/node';
import type { Page } from 'playwright/test';
import { PASSWORD, signInReviewer } from '../test/support/reviewer.ts';
import { totp } from '../test/support/totp.ts';
import { exportFor } from '../test/review/exports.ts';
import { test } from './support/accessible.ts';
import { signIn } from './support/reviewer.ts';
import { DESKTOP, expect, MORE } from './support/test.ts';

/**
 * Every page, full and empty: axe finds no violation in either theme, and nothing is wider than the screen,
 * on a phone and at a zoom of 200 %.
 */

/** What several tests seed and read is on one server, so they share a worker. */
test.describe.configure({ mode: 'default' });

/** Each page once, and for `npm run test:more` its other states that differ in their markup. */
interface Paths {
  pages: string[];
  states: string[];
}

const LISTS: Paths = {
  pages: [
    '/',
    '/?view=list&q=node',
    '/computes?compare=garage',
    '/computes/compare?compare=garage,node_b:fire',
    '/registry',
    '/registry/garage',
    '/nodes/node_macmini',
    '/search?q=node',
    '/embed',
  ],
  states: [
    '/?node=node_macmini',
    '/?replay=24h',
    '/?view=globe',
    '/?view=list&q=nobody',
    '/computes?q=nobody',
    '/registry?q=nobody',
    '/registry/nobody',
    '/nodes/node_blocked',
    '/nodes/node_hidden',
    '/nodes/node_pair',
    '/nodes/node_never_seen',
    '/search?q=nobody',
  ],
};
const INFORMATION: Paths = {
  pages: [
    '/docs',
    '/docs/rest',
    '/docs/trpc',
    '/docs/mesh',
    '/docs/health',
    '/docs/errors',
    '/docs/operators',
    '/docs/identity',
    '/docs/status-pages',
    '/docs/embed',
    '/docs/privacy',
    '/network',
    '/trends',
    '/trends?view=table',
    '/status',
    '/there/is/nothing',
  ],
  states: ['/docs/computes', '/docs/registry'],
};
/** WAITING and the like are registrations: on these pages their ids. */
const REGISTRATION: Paths = {
  pages: [
    '/register',
    '/register?step=node&name=another',
    '/register?step=node&name=another&node=node_macmini',
    '/register?step=details&name=another&node=node_macmini',
    '/register?step=check&name=another&node=node_macmini',
    '/register/WAITING',
    '/register/ACTIVE/notifications',
  ],
  states: [
    // Steps with errors at their fields when a later one was requested.
    '/register?step=node&name=garage',
    '/register?step=node&name=another&kinds=none',
    '/register?step=node&name=another&node=node_blocked',
    '/register?step=node&name=another&node=node_pair',
    '/register?step=details&name=another',
    '/register?step=details&name=another&node=a%20b',
    '/register?step=check&name=another&node=node_macmini&label=a.example.org&region=a%20b',
    '/register/reg_nobodysnobodysnobodys1',
    '/register/LAPSED',
    '/register/GONE',
    '/register/ACTIVE',
    '/register/PAYING',
    '/register/PROVED',
    '/register/DECIDED',
    '/register/REJECTED',
    '/register/REVOKED',
    '/register/WAITING/notifications',
  ],
};
/** For an administrator; WAITING and the like are the notes of registrations. */
const QUEUE: Paths = {
  pages: ['/review?open=WAITING', '/review/registrations', '/review/registrations/WAITING'],
  states: [
    '/review',
    '/review?open=DECIDED',
    '/review/registrations?q=nobody',
    '/review/registrations/ACTIVE',
    '/review/registrations/REVOKED',
    '/review/registrations/MESH-nobody-AAAAAA',
  ],
};
const ADMINISTRATION: Paths = {
  pages: [
    '/review/reviewers',
    '/review/account',
    '/review/account/second-factor',
    '/review/history',
    '/review/names',
    '/review/nodes',
    '/review/there/is/nothing',
  ],
  states: [
    '/review/history?q=nobody',
    '/review/nodes?node=node_pinned',
    '/review/nodes?node=node_stolen',
    '/review/nodes?match=*&silent=2030-01-01',
    '/review/nodes?removed=2',
  ],
};
const PAYMENTS: Paths = {
  pages: [
    '/review/payments?tab=accept',
    '/review/payments?tab=look',
    '/review/payments?tab=imports',
  ],
  states: ['/review/payments?tab=accept&done=WAITING,ACTIVE'],
};
/** INVITATION is the token of one. */
const SIGN_IN: Paths = {
  pages: ['/review/sign-in', '/review/join/INVITATION'],
  states: ['/review/join/used'],
};

const LONG_ADDRESS = `${'w'.repeat(64)}@${'m'.repeat(60)}.example`;

type States = Record<string, { note: string; path: string }>;

/** Registrations are known by their id to their operator, and by their note to reviewers. */
const filled = (path: string, states: States, invitation: string) =>
  Object.entries(states).reduce(
    (result, [state, { note, path: own }]) =>
      result.replace(
        state.toUpperCase(),
        path.startsWith('/review') ? note : own.replace('/register/', ''),
      ),
    path.replace('INVITATION', invitation),
  );
const refused = (page: Page) => expect(page.getByRole('alert')).toBeVisible();

for (const [what, paths, reviewing] of [
  ['the map and the lists', LISTS],
  ['documentation, status and pages that do not exist', INFORMATION],
  ['registration', REGISTRATION],
  ['the review queue', QUEUE, true],
  ['accounts, names, nodes and history', ADMINISTRATION, true],
  ['payments', PAYMENTS, true],
  ['signing in', SIGN_IN],
] as const)
  for (const [title, group, tag] of [
    [what, paths.pages, []],
    [`${what}: further states`, paths.states, [MORE]],
  ] as const)
    test(
      title,
      { tag: [...tag] },
      async ({ page, server, states, invitation, administrator, open, check }) => {
        if (reviewing) await signIn(page, server, administrator);
        for (const path of group) {
          await open(filled(path, states, invitation));
          if (path === '/') await expect(page.getByRole('status')).toHaveText('Live');
          await check(path);
        }
      },
    );

test(
  'the results of a search in the header',
  { tag: [DESKTOP, MORE] },
  async ({ page, open, check }) => {
    await open('/status');
    await page.keyboard.press('/');
    await page.keyboard.type('node');
    await expect(page.getByRole('listbox', { name: 'Results' })).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await check('results');
  },
);

test(
  'what happens while a name is registered',
  { tag: MORE },
  async ({ page, server, states, open, press, heading, check }) => {
    await open(states.active.path);
    await open('/register?step=node&name=own');
    await page.getByRole('combobox', { name: 'Node', exact: true }).fill('mac');
    await expect(page.getByRole('option', { name: /node_macmini/ })).toBeVisible();
    await page.keyboard.press('ArrowDown');
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
    await page.setContent(
      `<form method="post" action="${server.url}/register"><button>Go</button>`,
    );
    await press('Go');
    await expect(heading('The form was refused')).toBeVisible();
    await check('a form of another site');
  },
);

test(
  'decisions in the review queue',
  { tag: MORE },
  async ({ page, server, administrator, open, press, check }) => {
    // One of its own: looking at it takes longer than its rejection can be undone.
    const name = 'w'.repeat(32);
    const { registration } = server.services;
    const { id } = await registration.start({
      action: 'start',
      name,
      label: 'M'.repeat(64),
      class: 'L',
      region: 'EU',
      nodeId: 'node_rejected',
      kinds: ['node'],
    });
    await registration.confirm({ id });
    await signIn(page, server, administrator);
    await open('/review');
    await page.getByLabel(`Select ${name}`).check();
    await check('a selected registration');
    await press('Reject 1 registration');
    await refused(page);
    await check('a rejection of several without a reason');
    await page.getByLabel('Requested by the operator.').check();
    await press('Reject 1 registration');
    await expect(page.getByRole('heading', { name: 'Rejected 1 registration' })).toBeFocused();
    await check('registrations that are rejected together');
  },
);

test(
  'reviewers that are invited, with long addresses, and without the right',
  { tag: MORE },
  async ({ page, server, administrator, open, press, heading, check }) => {
    await signInReviewer(server.services, { email: LONG_ADDRESS });
    await signIn(page, server, administrator);
    await open('/review/reviewers');
    await expect(page.getByText(LONG_ADDRESS).first()).toBeVisible();
    await check('the list of reviewers');
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
  },
);

test(
  'an import of payments',
  { tag: MORE },
  async ({ page, server, administrator, open, press, heading, check }) => {
    await signIn(page, server, administrator);
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
  },
);

test(
  'joining, and signing in with a second factor',
  { tag: MORE },
  async ({ page, server, open, press, heading, check }) => {
    const link = await server.services.accounts.invite('system', {
      email: 'eve@example.org',
      role: 'reviewer',
    });
    await open(`/review/join/${link}`);
    await check('a link to join');
    await server.services.accounts.withdraw({ actor: 'system', email: 'eve@example.org' });
    await page.getByLabel('Name', { exact: true }).fill('Eve');
    await page.getByLabel('Password').fill(PASSWORD);
    await press('Create account and sign in');
    await refused(page);
    await expect(
      page.getByRole('link', { name: 'Sign in with an existing account' }),
    ).toBeVisible();
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
  },
);

test('an internal error', { tag: MORE }, async ({ page, server, administrator, open, check }) => {
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

test(
  'no page is left out',
  { tag: DESKTOP },
  async ({ server, states, invitation, administrator }) => {
    const visited = [LISTS, INFORMATION, REGISTRATION, QUEUE, ADMINISTRATION, PAYMENTS, SIGN_IN]
      .flatMap(({ pages }) => pages)
      .map((path) => filled(path, states, invitation));
    const shown = new Set<string>();
    for (const path of visited)
      for (const cookie of ['', administrator.cookie]) {
        const html = await (await server.get(path, { headers: { cookie } })).text();
        const [, modules = ''] = /__remixRouteModules = \{(.*?)\}/.exec(html) ?? [];
        for (const [, route = ''] of modules.matchAll(/"([^"]+)":/g)) shown.add(route);
      }
    const routes = await pageRoutes();
    expect(routes.length).toBeGreaterThan(25);
    expect(routes.filter((route) => !shown.has(route))).toEqual([]);
  },
);

const NOT_BY_ADDRESS = [
  // Always redirects.
  'routes/review_.sign-out',
  // Only shown after the password; the test of joining and signing in checks it.
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
