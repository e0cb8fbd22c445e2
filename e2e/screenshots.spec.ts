import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test as base, type Page } from 'playwright/test';
import { exportFor } from '../test/review/exports.ts';
import { PASSWORD } from '../test/support/reviewer.ts';
import { startSeededService, type SeededService } from './support/seeded-service.ts';

/** Pictures of the pages, for people to look at: `npm run screenshots` says which. No test run includes them. */

/** What `npm run screenshots` was asked for. */
interface Options {
  out: string;
  /** Pages, or the groups that their first words name; all by default. */
  pages: string[];
  /** Further paths of the service, and who opens them. */
  paths: string[];
  as?: Role;
  widths: number[];
  themes: ('light' | 'dark')[];
  /** The whole page instead of one screen. */
  full: boolean;
  /** {@link PICTURES}, as WebP, instead of all that. */
  pictures: boolean;
}

type Role = 'administrator' | 'reviewer';
type Path = string | ((seeded: SeededService['seeded']) => string);

/** One page in one state, and how to get there. */
interface Shot {
  name: string;
  path: Path;
  /** Signed in as this role; nobody by default. */
  as?: Role;
  /** Steps on the page before the picture is taken. */
  prepare?: (page: Page) => Promise<void>;
  /** The review queue fails with an internal error. */
  broken?: true;
}

/** A page counts as settled once nothing on it has changed for this long (ms). */
const QUIET_MS = 400;
/** A page that never comes to rest is taken as it is after this (ms). */
const SETTLE_TIMEOUT_MS = 6000;

const visitor = (name: string, path: Path, more: Pick<Shot, 'prepare'> = {}): Shot => ({
  name,
  path,
  ...more,
});
const reviewer = (
  name: string,
  path: Path,
  more: Pick<Shot, 'as' | 'prepare' | 'broken'> = {},
): Shot => ({ name, path, as: 'administrator', ...more });

/** Chooses a file for import and waits for the page that follows. */
const upload = (text: string) => async (page: Page) => {
  const file = { name: 'export.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
  await page.locator('input[type=file]').setInputFiles(file);
  await submit(page, 'form:has(input[type=file])');
};

/** Sends the form and waits until its answer is on the page. */
async function submit(page: Page, form: string): Promise<void> {
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.locator(`${form} button:not([type=button])`).first().click();
  await answered;
}

/** Begins to set up a second factor. */
async function showKey(page: Page): Promise<void> {
  await page.locator('main input[type=password]').fill(PASSWORD);
  await submit(page, 'main form:has(input[type=password])');
}

/** A bank's export whose columns the import cannot recognise by itself. */
const FOREIGN_EXPORT =
  'Buchungstag;Wer;Verwendungszweck;Betrag\r\n21.11.2026;Zoe;MESH-garage-7K3QF;5,00';

const SHOTS: Shot[] = [
  visitor('map', '/'),
  visitor('map-node', ({ node }) => `/?node=${node}`),
  visitor('map-genesis', '/?node=genesis'),
  visitor('map-replay', '/?replay=90d', {
    prepare: (page) => page.getByRole('slider').press('PageDown'),
  }),
  visitor('map-globe', '/?view=globe'),
  visitor('map-list', '/?view=list'),
  visitor('map-list-empty', '/?view=list&q=nobody'),
  visitor('embed', '/embed'),
  visitor('computes', '/computes'),
  visitor('computes-chosen', ({ offers }) => `/computes?compare=${offers}`),
  visitor('compare', ({ offers }) => `/computes/compare?compare=${offers}`),
  visitor('computes-filtered', '/computes?q=node&available=1'),
  visitor('computes-empty', '/computes?q=nobody'),
  visitor('computes-api-call', '/computes?class=L&status=available', {
    prepare: (page) =>
      page.getByText('API call', { exact: true }).filter({ visible: true }).click(),
  }),
  visitor('registry', '/registry'),
  visitor('registry-empty', '/registry?q=nobody'),
  visitor('name', ({ name }) => `/registry/${name}`),
  visitor('name-unknown', '/registry/nobody'),
  visitor('search', '/search?q=ga'),
  visitor('search-header', '/status', {
    async prepare(page) {
      if (!(await page.getByRole('combobox').isVisible())) return;
      await page.getByRole('combobox').fill('ga');
      await page.getByRole('listbox').waitFor();
    },
  }),
  visitor('node', ({ host }) => `/nodes/${host}`),
  visitor('node-new', ({ newcomer }) => `/nodes/${newcomer}`),
  visitor('node-blocked', '/nodes/node_blocked'),
  visitor('node-hidden', '/nodes/node_hidden'),
  visitor('node-unknown', '/nodes/node_never_seen'),
  visitor('trends', '/trends'),
  visitor('trends-day', '/trends?days=30&day=2026-11-12'),
  visitor('trends-table', '/trends?view=table'),
  visitor('network', '/network'),
  visitor('status', '/status'),
  visitor('docs', '/docs'),
  visitor('docs-mesh', '/docs/mesh'),
  visitor('docs-registry', '/docs/registry'),
  visitor('docs-errors', '/docs/errors'),
  visitor('docs-contents', '/docs/mesh#ping', {
    async prepare(page) {
      const contents = page.getByRole('button', { name: 'Contents' });
      if (await contents.isVisible()) await contents.click();
    },
  }),
  visitor('docs-try-it', '/docs/registry#listRegistry', {
    async prepare(page) {
      const form = page.getByRole('form', { name: 'Try GET /api/registry', exact: true });
      await form.getByRole('button', { name: 'Send request' }).click();
    },
  }),
  visitor('docs-operators', '/docs/operators'),
  visitor('docs-identity', '/docs/identity'),
  visitor('docs-status-pages', '/docs/status-pages'),
  visitor('docs-embed', '/docs/embed'),
  visitor('docs-privacy', '/docs/privacy'),

  visitor('register', '/register'),
  visitor('register-name', '/register?name=another'),
  visitor('register-name-taken', '/register?step=node&name=garage'),
  visitor('register-node', '/register?step=node&name=another'),
  visitor('register-node-own', '/register?step=node&name=another', {
    async prepare(page) {
      await page.evaluate(() => {
        const saved = ['macmini', 'b'].map((name) => {
          return { id: `reg_${name.padEnd(22, 'x')}`, name, nodeId: `node_${name}` };
        });
        localStorage.setItem('registrations', JSON.stringify(saved));
      });
      await page.reload();
      await page.getByRole('combobox', { name: 'Node', exact: true }).fill('node');
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('ArrowDown');
    },
  }),
  visitor('register-node-chosen', ({ host }) => `/register?step=node&name=another&node=${host}`),
  visitor('register-node-blocked', '/register?step=node&name=another&node=node_blocked'),
  visitor('register-node-named', '/register?step=node&name=another&node=node_macmini'),
  visitor('register-node-unknown', '/register?step=node&name=another&node=node_never_seen'),
  visitor('register-details', '/register?step=details&name=another&node=node_macmini'),
  visitor(
    'register-details-errors',
    '/register?step=check&name=another&node=node_macmini&label=a.example.org&region=a%20b',
  ),
  visitor('register-check', '/register?step=check&name=another&node=node_macmini'),
  visitor('registration-save', ({ paying }) => `${paying.path}?job=save`),
  visitor('registration-pay', ({ paying }) => paying.path),
  visitor('registration-paid', ({ paying }) => `${paying.path}?job=paid`),
  visitor('registration-waiting', ({ waiting }) => waiting.path),
  visitor('registration-proved', ({ proved }) => proved.path),
  visitor('registration-notifications', ({ waiting }) => `${waiting.path}/notifications`),
  visitor('registration-notifications-unset', ({ active }) => `${active.path}/notifications`),
  visitor('registration-active', ({ active }) => active.path),
  visitor('registration-expired', ({ lapsed }) => lapsed.path),
  visitor('registration-expired-taken', ({ gone }) => gone.path),
  visitor('registration-rejected', ({ rejected }) => rejected.path),
  visitor('registration-revoked', ({ revoked }) => revoked.path),
  visitor('registration-unknown', '/register/reg_nobodysnobodysnobodys1'),

  visitor('sign-in', '/review/sign-in'),
  visitor('sign-in-refused', '/review/sign-in', {
    prepare: async (page) => {
      await page.locator('input[type=email]').fill('ada@example.org');
      await page.locator('input[type=password]').fill('not the password');
      await submit(page, 'form:has(input[type=password])');
    },
  }),
  visitor('sign-in-session-ended', '/review/sign-in?next=/review&unsent'),
  visitor('join', ({ invitation }) => `/review/join/${invitation}`),
  visitor('join-refused', ({ invitation }) => `/review/join/${invitation}`, {
    prepare: async (page) => {
      await page.locator('input[name=name]').fill('Eve');
      await page.locator('input[type=password]').fill('password1234');
      await submit(page, 'form:has(input[type=password])');
    },
  }),
  visitor('join-used', '/review/join/used'),
  reviewer('review', '/review'),
  reviewer('review-open', ({ waiting }) => `/review?open=${waiting.note}`),
  reviewer('review-open-proved', ({ proved }) => `/review?open=${proved.note}`),
  reviewer('review-selected', '/review', {
    prepare: (page) => page.getByLabel('Select all').check(),
  }),
  reviewer('review-selected-reasons', '/review', {
    async prepare(page) {
      await page.getByLabel('Select all').check();
      await page.getByText('Reject selected').first().click();
      await page.getByLabel('No payment with this note was found.').check();
    },
  }),
  reviewer('review-decided', ({ revoked }) => `/review?open=${revoked.note}`),
  reviewer('review-registrations', '/review/registrations'),
  reviewer('review-registrations-empty', '/review/registrations?q=nobody'),
  reviewer('review-registration-waiting', ({ waiting }) => `/review/registrations/${waiting.note}`),
  reviewer('review-registration-active', ({ active }) => `/review/registrations/${active.note}`),
  reviewer('review-registration-revoked', ({ revoked }) => `/review/registrations/${revoked.note}`),
  reviewer('review-payments-accept', '/review/payments?tab=accept'),
  reviewer('review-payments-look', '/review/payments?tab=look'),
  reviewer('review-payments-imports', '/review/payments?tab=imports'),
  reviewer('review-payments-columns', '/review/payments?tab=imports', {
    prepare: upload(FOREIGN_EXPORT),
  }),
  reviewer('review-payments-nothing-new', '/review/payments?tab=imports', {
    prepare: upload(exportFor([])),
  }),
  reviewer(
    'review-payments-results',
    ({ waiting, active }) => `/review/payments?tab=accept&done=${waiting.note},${active.note}`,
  ),
  reviewer('review-names', '/review/names'),
  reviewer('review-nodes', '/review/nodes'),
  reviewer('review-nodes-key', '/review/nodes?node=node_pinned'),
  reviewer('review-nodes-stolen', '/review/nodes?node=node_stolen'),
  reviewer('review-history', '/review/history'),
  reviewer('review-history-empty', '/review/history?q=nobody'),
  reviewer('review-reviewers', '/review/reviewers'),
  reviewer('review-reviewers-refused', '/review/reviewers', { as: 'reviewer' }),
  reviewer('review-reviewers-confirm', '/review/reviewers', {
    prepare: (page) => page.locator('summary', { hasText: 'Deactivate' }).first().click(),
  }),
  reviewer('review-reviewers-problem', '/review/reviewers', {
    prepare: async (page) => {
      await page.locator('input[type=email]').fill('bob@example.org');
      await submit(page, 'form:has(input[name=role])');
    },
  }),
  reviewer('review-account', '/review/account'),
  reviewer('review-account-problem', '/review/account', {
    prepare: async (page) => {
      await page.locator('input[name=password]').fill('not the password');
      await page.locator('input[name=newPassword]').fill('another good password');
      await submit(page, 'form:has(input[name=newPassword])');
    },
  }),
  reviewer('review-second-factor', '/review/account/second-factor'),
  reviewer('review-second-factor-key', '/review/account/second-factor', { prepare: showKey }),
  reviewer('review-second-factor-wrong-code', '/review/account/second-factor', {
    prepare: async (page) => {
      await showKey(page);
      await page.locator('input[name=code]').fill('000000');
      await submit(page, 'main form:has(input[name=code])');
    },
  }),

  visitor('error-not-found', '/there/is/nothing'),
  reviewer('error-not-found-review', '/review/there/is/nothing'),
  reviewer('error-internal', '/review', { broken: true }),
];

/** Pictures of README and docs/site.md: the file without its ending, the page, the width of the screen and the theme. */
const PICTURES = [
  ['map', 'map', 1280, 'light'],
  ['map-phone', 'map', 390, 'dark'],
  ['node', 'node', 1280, 'light'],
  ['computes', 'computes', 1280, 'dark'],
  ['compare', 'compare', 1280, 'light'],
  ['registry', 'registry', 1280, 'light'],
  ['name', 'name', 1280, 'dark'],
  ['trends', 'trends', 1280, 'light'],
  ['status', 'status', 1280, 'dark'],
  ['docs', 'docs', 1280, 'light'],
] as const;
/** The most bytes of one of them: scripts/documents.test.ts checks it. */
const PICTURE_BYTES = 60_000;
/** Their height on a wide screen (px). */
const PICTURE_HEIGHT = 800;

/** @throws if one of the pages does not exist */
function chosen({ pages, paths, as }: Options): Shot[] {
  const isOf = (name: string, page: string) => name === page || name.startsWith(`${page}-`);
  const unknown = pages.find((page) => !SHOTS.some(({ name }) => isOf(name, page)));
  if (unknown !== undefined) throw new Error(`no page is called ${unknown}; try --list`);
  // A page that is named with its group is taken once.
  const named = SHOTS.filter(({ name }) => pages.some((page) => isOf(name, page)));
  const others = paths.map((path) => ({
    name: path.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'root',
    path,
    ...(as && { as }),
  }));
  return named.length + others.length > 0 ? [...named, ...others] : SHOTS;
}

const test = base.extend<object, { service: SeededService }>({
  service: [
    async ({}, use) => {
      const service = await startSeededService();
      await use(service);
      await service.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

const options = JSON.parse(process.env['SCREENSHOTS'] ?? '{}') as Options;
const all = options.pictures
  ? PICTURES.map(([file, page, width, theme]) => {
      const shot = SHOTS.find(({ name }) => name === page);
      if (!shot) throw new Error(`no page is called ${page}`);
      return { shot, width, theme, file: `${file}.webp` };
    })
  : chosen(options).flatMap((shot) =>
      options.widths.flatMap((width) =>
        options.themes.map((theme) => {
          return { shot, width, theme, file: `${shot.name}-${width}-${theme}.png` };
        }),
      ),
    );
for (const { shot, width, theme, file } of all)
  test.describe(() => {
    const phone = width < 500;
    const height = phone ? 844 : options.pictures ? PICTURE_HEIGHT : 900;
    test.use({
      viewport: { width, height },
      colorScheme: theme,
      contextOptions: { reducedMotion: 'reduce' },
      hasTouch: phone,
      isMobile: phone,
      timezoneId: 'Europe/Berlin',
    });
    test(file, async ({ page, service }) => {
      if (shot.as) await page.context().addCookies(service.cookies(shot.as));
      if (shot.broken) await service.breakReviews();
      const { path } = shot;
      await page.goto(service.url + (typeof path === 'string' ? path : path(service.seeded)));
      await settle(page);
      if (shot.prepare) {
        await shot.prepare(page);
        await settle(page);
      }
      const picture = await page.screenshot({ fullPage: options.full });
      mkdirSync(options.out, { recursive: true });
      writeFileSync(
        join(options.out, file),
        options.pictures ? await asWebp(page, picture) : picture,
      );
      if (shot.broken) {
        await service.mendReviews();
        await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible();
      }
      const widest = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(widest, 'the page is no wider than the screen').toBeLessThanOrEqual(width);
    });
  });

/** A picture as the best WebP within the limit, which the browser makes on a page without a content security policy. */
async function asWebp(page: Page, png: Buffer): Promise<Buffer> {
  const blank = await page.context().newPage();
  const webp = await blank.evaluate(
    async ({ base64, most }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      for (let quality = 0.95; quality > 0.3; quality -= 0.05) {
        const url = canvas.toDataURL('image/webp', quality);
        const bytes = url.slice(url.indexOf(',') + 1);
        if ((bytes.length / 4) * 3 <= most) return bytes;
      }
      throw new Error('no quality is small enough');
    },
    { base64: png.toString('base64'), most: PICTURE_BYTES },
  );
  await blank.close();
  return Buffer.from(webp, 'base64');
}

/** Waits until the scripts have taken over, fonts and images are there, and the page changes no more. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.evaluate(
    async ({ quiet, timeout }) => {
      const deadline = performance.now() + timeout;
      // Remix sets this when its scripts take over.
      while (history.scrollRestoration !== 'manual' && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 20));
      await document.fonts.ready;
      let changedAt = performance.now();
      new MutationObserver(() => (changedAt = performance.now())).observe(document, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
      while (performance.now() - changedAt < quiet && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 50));
    },
    { quiet: QUIET_MS, timeout: SETTLE_TIMEOUT_MS },
  );
}
