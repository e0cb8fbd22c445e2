import type { Page } from 'playwright/test';
import { cityNodes, ping, pingAll } from './support/seed.ts';
import { test as standing } from './support/fake-clock.ts';
import { DESKTOP, expect, MORE, ONLY_PHONE, open, PHONE, test } from './support/test.ts';

const PAGES = [
  ['On the map', 'On the map in one line'],
  ['Status pages', 'For status pages'],
  ['REST', 'REST API'],
  ['Mesh', 'Mesh API'],
  ['Computes', 'Computes API'],
  ['Registry', 'Registry API'],
  ['tRPC client', 'tRPC client'],
  ['Errors', 'API errors'],
  ['Map and badges', 'Embed the map'],
  ['Node identity', 'Identity of a node'],
  ['Privacy', 'Privacy'],
] as const;

/** By how much the page is wider than the window (px). */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const pagesNav = (page: Page) => page.getByRole('navigation', { name: 'Documentation' });
const sectionsNav = (page: Page) => page.getByRole('navigation', { name: 'On this page' });

/** A phone folds the contents, under the name of the page. */
const fold = (page: Page) => page.locator('details:has(nav) > summary');
async function openContents(page: Page, isMobile: boolean): Promise<void> {
  if (isMobile) await fold(page).click();
}

test('the pages link to each other and to their sections, and fit the window', async ({
  page,
  server,
  isMobile,
}) => {
  // The narrowest supported phone.
  if (isMobile) await page.setViewportSize({ width: 320, height: 700 });
  await open(page, `${server.url}/docs`);
  await expect(title(page, 'Docs')).toBeVisible();
  await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
  await page.getByRole('link', { name: 'Start here' }).click();
  for (const [link, heading] of PAGES) {
    await openContents(page, isMobile);
    await pagesNav(page).getByRole('link', { name: link, exact: true }).click();
    await expect(title(page, heading)).toBeVisible();
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await openContents(page, isMobile);
    const section = sectionsNav(page).getByRole('link').last();
    await section.click();
    await expect(page.locator('section:target')).toBeInViewport();
    // What is read is marked, even the last section, which never reaches the top of the window.
    if (isMobile) {
      await expect(pagesNav(page)).toBeHidden();
      await expect(fold(page)).toContainText(link);
    } else await expect(section).toHaveAttribute('aria-current', 'location');
  }

  await page.getByRole('link', { name: 'Previous' }).click();
  await expect(title(page, 'Identity of a node')).toBeVisible();
  await page.getByRole('link', { name: 'Next' }).click();
  await expect(title(page, 'Privacy')).toBeVisible();

  await page.goto(`${server.url}/docs/mesh`);
  for (const summary of await page.locator('section summary').all()) await summary.click();
  await expect(page.getByText('recentPings[].isNew')).toBeVisible();
  await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);

  // The browser stores only what the privacy page lists.
  const kept = await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage)]);
  expect(kept).toEqual([[], ['positions']]);
  expect(await page.context().cookies()).toEqual([]);
});

test(
  'links to sections from when the reference was one page lead to their pages',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    for (const [old, now] of [
      ['#getHistory', '/docs/mesh#getHistory'],
      ['#error-rate_limited', '/docs/errors#error-rate_limited'],
      ['#registry', '/docs/registry'],
    ]) {
      await page.goto(`${server.url}/docs${old}`);
      await expect(page).toHaveURL(`${server.url}${now}`);
    }
    await page.goto(`${server.url}/docs#getHistory`);
    await expect(page.locator('section:target')).toBeInViewport();
  },
);

test(
  'the guide shows each way to send heartbeats, by keyboard and in the URL, and says when one has arrived',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await open(page, `${server.url}/docs/operators`);
    const tab = (name: string) => page.getByRole('tab', { name, exact: true });
    await expect(tab('curl')).toHaveAttribute('aria-selected', 'true');
    await tab('curl').focus();
    await page.keyboard.press('ArrowRight');
    await expect(tab('mesh-agent')).toBeFocused();
    await expect(page).toHaveURL(`${server.url}/docs/operators?os=agent`);
    await expect(page.getByRole('tabpanel')).toContainText(
      `mesh-agent init --service ${server.url}`,
    );

    const nodeId = 'node_of_the_guide';
    const asked = page.waitForResponse((response) => response.url().includes('/mesh.node'));
    await page.getByLabel('Did it arrive?').fill(nodeId);
    await asked;
    await expect(page.getByText('Not yet. Waiting for its first heartbeat.')).toBeVisible();
    await ping(server.url, { nodeId, lat: 1, lng: 2 });
    await page.getByRole('link', { name: `View ${nodeId}` }).click();
    await expect(page).toHaveURL(`${server.url}/nodes/${nodeId}`);
  },
);

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });
  test('the ways of the guide are links', { tag: [DESKTOP, MORE] }, async ({ page, server }) => {
    await page.goto(`${server.url}/docs/operators`);
    await page.getByRole('tab', { name: 'mesh-agent', exact: true }).click();
    await expect(page.getByRole('tabpanel')).toContainText('mesh-agent init');
  });
  test(
    'everything works except the copy buttons and the forms',
    { tag: [DESKTOP, MORE] },
    async ({ page, server }) => {
      await page.goto(`${server.url}/docs/rest#ping`);
      await page.locator(':target').getByRole('link').click();
      const heartbeat = page.getByRole('region', { name: /Send a node’s heartbeat/ });
      await expect(heartbeat).toBeInViewport();
      await expect(heartbeat).toContainText(`curl -s -X POST ${server.url}/api/mesh/ping`);
      await heartbeat.getByText('Fields of PingAnswer').first().click();
      await expect(heartbeat.getByText('peer.lastSeen').first()).toBeVisible();
      await expect(page.getByRole('button', { name: 'Copy' })).toHaveCount(0);
      await expect(page.getByRole('form')).toHaveCount(0);
      await expect(page.getByText(`"${server.url}/api/mesh/history?days=7"`)).toBeVisible();
    },
  );
  test(
    'a phone’s contents open and lead to a section',
    { tag: [PHONE, ONLY_PHONE] },
    async ({ page, server, isMobile }) => {
      test.skip(!isMobile);
      await page.goto(`${server.url}/docs/mesh`);
      await openContents(page, isMobile);
      await sectionsNav(page)
        .getByRole('link', { name: 'GET /api/mesh/history', exact: true })
        .click();
      await expect(page.locator('#getHistory')).toBeInViewport();
    },
  );
});

test.describe('a read can be tried', { tag: DESKTOP }, () => {
  // Of answers that are errors, the browser says so.
  test.use({ allowed: [/status of 40\d|net::ERR_/] });
  const form = (page: Page, path: string) =>
    page.getByRole('form', { name: `Try GET ${path}`, exact: true });
  const command = (page: Page, id: string) =>
    page.locator(`#${id}`).getByRole('group', { name: 'As a command' });

  test('with its parameters, by keyboard, and as a command', async ({ page, server }) => {
    await open(page, `${server.url}/docs/mesh`);
    const history = form(page, '/api/mesh/history');
    const section = page.locator('#getHistory');
    // Defaults are filled in.
    await expect(history.getByLabel('days')).toHaveValue('1');
    await history.getByLabel('days').selectOption('7');
    await history.getByLabel('node').focus();
    await page.keyboard.type('no body');
    await expect(command(page, 'getHistory')).toHaveText(
      `curl -s "${server.url}/api/mesh/history?node=no+body&days=7"`,
    );
    await page.keyboard.press('Enter');
    await expect(section.getByText(/^400 Bad Request after [\d,]+ ms, \d+ bytes$/)).toBeVisible();
    await expect(section.getByRole('group', { name: 'Body' })).toContainText(
      '\n  "code": "invalid_query",\n',
    );
    await expect(section.getByText('x-request-id')).toBeVisible();

    await history.getByLabel('node').fill('');
    await history.getByRole('button', { name: 'Send request' }).click();
    await expect(section.getByText(/^200 OK after/)).toBeVisible();
    await expect(section.getByRole('group', { name: 'Body' })).toContainText('"stepSeconds": 900');
    await expect(section.getByText('no-cache')).toBeVisible();
    // Requests that write have no form.
    await expect(page.locator('#ping')).toBeAttached();
    await expect(page.locator('#ping, #removeNode').getByRole('form')).toHaveCount(0);
  });

  test('a long answer is cut, with its size', { tag: MORE }, async ({ page, server }) => {
    await pingAll(server, cityNodes(300));
    await open(page, `${server.url}/docs/mesh`);
    await form(page, '/api/mesh').getByRole('button').click();
    const section = page.locator('#getMesh');
    await expect(section.getByRole('group', { name: 'Start of the body' })).toContainText(
      '"peers": [',
    );
    await expect(section.getByText(/Only the beginning is shown.*\d KB/)).toBeVisible();
  });

  test(
    'it can be cancelled, and says when there is no response',
    { tag: MORE },
    async ({ page, server }) => {
      await open(page, `${server.url}/docs/registry`);
      const names = form(page, '/api/registry');
      const send = names.getByRole('button', { name: 'Send request' });
      const section = page.locator('#listRegistry');
      let release = () => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/api/registry', async (route) => {
        await held;
        await route.abort();
      });
      await send.click();
      await names.getByRole('button', { name: 'Cancel' }).click();
      await expect(section.getByText('Cancelled.')).toBeVisible();
      await expect(send).toBeFocused();
      release();
      await send.click();
      await expect(section.getByText(/^No response/)).toBeVisible();

      await page.unroute('**/api/registry');
      await page.context().setOffline(true);
      await send.click();
      await expect(section.getByText(/^You are offline/)).toBeVisible();
      await page.context().setOffline(false);
      await send.click();
      await expect(section.getByText(/^200 OK/)).toBeVisible();
    },
  );
});

// By a clock that stands still: the first node stays online, however long the second one takes.
standing(
  'the program for browsers follows the network',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await open(page, `${server.url}/docs/status-pages`);
    const program = await page.getByRole('group', { name: 'In a browser' }).innerText();
    await ping(server.url, { nodeId: 'node_a', lat: 1, lng: 2 });
    await page.evaluate(program);
    await expect(page).toHaveTitle('1 of 1 online');
    await ping(server.url, { nodeId: 'node_b', lat: 1, lng: 2, status: 'idle' });
    await expect(page).toHaveTitle('1 of 2 online');
  },
);
