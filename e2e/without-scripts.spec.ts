import type { Page } from 'playwright/test';
import { cityNodes, ping, pingAll } from './support/seed.ts';
import { test as standing } from './support/fake-clock.ts';
import { expect, MORE, shownCounts, test } from './support/test.ts';

test.use({ javaScriptEnabled: false });
standing.use({ javaScriptEnabled: false });

/** Playwright finds no text directly within <noscript>, so these tests look in elements with a role. */
const pagers = (page: Page) => page.getByRole('navigation', { name: 'Pages of the list' });

const firstNodes = (page: Page) =>
  page.getByRole('region', { name: 'Nodes', exact: true }).getByRole('listitem');

test('without JavaScript the page shows the counts and the peers, and its pages link on', async ({
  page,
  server,
}) => {
  await pingAll(server, cityNodes(250));
  await page.goto(`${server.url}/?view=list`);

  const { online, syncing, idle, offline, nodes } = await shownCounts(page);
  expect(nodes).toBe(250);
  expect([online, syncing, idle, offline].reduce((sum, n) => (sum ?? 0) + (n ?? 0))).toBe(250);
  await expect(page.getByRole('heading', { name: 'Genesis' })).toBeVisible();
  await expect(page.getByText('not checked')).toBeVisible();

  const seen = new Set<string>();
  const pager = pagers(page).first();
  for (const [range, rows] of [
    ['1–100 of 250', 100],
    ['101–200 of 250', 100],
    ['201–250 of 250', 50],
  ] as const) {
    await expect(pager.getByText(range)).toBeVisible();
    // A page shows before all of it has arrived.
    await expect(page.getByRole('rowheader')).toHaveCount(rows);
    for (const name of await page.getByRole('rowheader').allTextContents()) seen.add(name);
    const next = pager.getByRole('link', { name: 'Next' });
    if (await next.count()) await next.click();
  }
  expect(seen.size).toBe(250);
  await pager.getByRole('link', { name: 'First' }).click();
  await expect(pager.getByText('1–100 of 250')).toBeVisible();
  await pager.getByRole('link', { name: 'Last' }).click();
  await expect(pager.getByText('201–250 of 250')).toBeVisible();
});

test('in place of the map stand the first ten nodes and a link to the list, which keeps the filter', async ({
  page,
  server,
}) => {
  await pingAll(server, cityNodes(60));
  // No page of the map's own: the list has pages.
  await page.goto(`${server.url}/?page=3&status=online,offline,syncing,idle`);
  await expect(firstNodes(page)).toHaveCount(10);
  await expect(pagers(page)).toHaveCount(0);
  await page.getByRole('link', { name: 'List of all 60 nodes' }).click();
  await expect(pagers(page).first()).toContainText('1–60 of 60');
  await expect(page).toHaveURL(/\?view=list&status=online,syncing,idle,offline$/);
});

test('the map page of 500 nodes is small', { tag: MORE }, async ({ server }) => {
  await pingAll(server, cityNodes(500));
  const html = await (await fetch(server.url)).text();
  expect(html).toContain('500 nodes');
  expect(Buffer.byteLength(html)).toBeLessThan(25 * 1024);
});

test('the list is in the order of GET /api/mesh', { tag: MORE }, async ({ page, server }) => {
  await pingAll(server, cityNodes(60));
  const { peers } = (await (await fetch(`${server.url}/api/mesh`)).json()) as {
    peers: { label: string }[];
  };
  await page.goto(`${server.url}/?view=list`);
  const names = await page.getByRole('rowheader').allTextContents();
  expect(names.map((name) => name.replace(/ node_\d+$/, ''))).toEqual(
    peers.map(({ label }) => label),
  );
});

test(
  'an invalid page number, or one beyond the list, shows the nearest page',
  { tag: MORE },
  async ({ page, server }) => {
    await pingAll(server, cityNodes(150));
    for (const [asked, range] of [
      ['0', '1–100 of 150'],
      ['-3', '1–100 of 150'],
      ['two', '1–100 of 150'],
      ['', '1–100 of 150'],
      ['2', '101–150 of 150'],
      ['999', '101–150 of 150'],
    ] as const) {
      const response = await page.goto(`${server.url}/?view=list&page=${asked}`);
      expect(response?.status()).toBe(200);
      await expect(pagers(page).first()).toContainText(range);
    }
  },
);

test('every time is exact for machines and on hover', { tag: MORE }, async ({ page, server }) => {
  const { peer } = await ping(server.url, { nodeId: 'node_a', lat: 1, lng: 2 });
  await page.goto(`${server.url}/?view=list`);
  const time = page.getByRole('row', { name: /node_a/ }).locator('time');
  await expect(time.last()).toHaveAttribute('datetime', peer.lastSeen);
  await expect(time.last()).toHaveAttribute(
    'title',
    `${peer.lastSeen.slice(0, 10)} ${peer.lastSeen.slice(11, 19)} UTC`,
  );
});

test(
  'an empty network says how its first node gets on the map',
  { tag: MORE },
  async ({ page, server }) => {
    await page.goto(server.url);
    await expect(page.getByText('No nodes yet')).toBeVisible();
    await expect(page.getByLabel('Command for the first heartbeat')).toContainText(
      `curl -X POST ${server.url}/api/mesh/ping`,
    );
  },
);

test(
  'the page keeps to its own strict policy: no style or handler in its markup',
  { tag: MORE },
  async ({ page, server }) => {
    await pingAll(server, cityNodes(20));
    const response = await page.goto(server.url);
    const html = (await response?.text()) ?? '';
    expect(html).not.toMatch(/<[^>]+ (style|on\w+)=/);
    expect(response?.headers()['content-security-policy']).toContain("style-src 'self';");
  },
);

standing(
  'search, filters and the chosen node work as a form and links',
  async ({ page, server }) => {
    await pingAll(server, cityNodes(60));
    await ping(server.url, { nodeId: 'node_macmini', label: 'garage', lat: 48, lng: 11.5 });
    await page.goto(`${server.url}/?view=list`);
    await page.getByRole('main').getByRole('searchbox').fill('macmini');
    await page.getByRole('button', { name: 'Search' }).last().click();
    await expect(page.getByRole('heading', { name: '1 of 61 nodes' })).toBeVisible();
    await expect(page.getByRole('rowheader')).toHaveText(['garage node_macmini']);
    await page.getByRole('link', { name: /^Show garage/ }).click();
    await expect(page.getByRole('complementary', { name: 'garage' })).toContainText('48.0° N');
    await page.getByRole('link', { name: 'All 61 nodes' }).click();
    await page.getByRole('link', { name: /^online .* 1$/ }).click();
    await expect(firstNodes(page)).toContainText(['garage']);
    await page.getByRole('link', { name: 'Clear' }).click();
    await expect(page.getByRole('link', { name: 'List of all 61 nodes' })).toBeVisible();
  },
);

test('plain forms register a name and confirm its payment, with our own origin', async ({
  page,
  server,
}) => {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await ping(server.url, { nodeId: 'node_macmini', lat: 48, lng: 11.5 });
  await page.goto(`${server.url}/register`);
  await page.getByRole('textbox', { name: 'Name' }).fill('garage');
  await button('Continue').click();
  const node = page.getByRole('textbox', { name: 'Node' });
  await node.fill('node_macmini');
  // Enter continues; the node is up, so that its details are known.
  await node.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your details');
  await page.getByRole('link', { name: 'Change label' }).click();
  await page.getByRole('textbox', { name: /Label/ }).fill('kept.example.org');
  await page.getByRole('textbox', { name: /Label/ }).press('Enter');
  await expect(page.getByText('A label can’t be a hostname or an IP address.')).toBeVisible();
  await page.getByRole('textbox', { name: /Label/ }).fill('Kept');
  await page.getByRole('textbox', { name: /Label/ }).press('Enter');
  await expect(page.getByText('Kept', { exact: true })).toBeVisible();
  await button('Register garage').click();
  await expect(page.getByText(/^MESH-garage-/)).toBeVisible();
  await expect(page.getByText(/h 59 min left/)).toBeHidden();
  await button('I have paid').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('garage is waiting for review');
});

test('the search across the site is a form', async ({ page, server }) => {
  await ping(server.url, { nodeId: 'node_macmini', label: 'garage', lat: 48, lng: 11.5 });
  await page.goto(`${server.url}/status`);
  await page.getByRole('banner').getByRole('searchbox').fill('macmini');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/search\?q=macmini$/);
  await page.getByRole('region', { name: 'Nodes' }).getByRole('link').click();
  await expect(page).toHaveURL(/\/nodes\/node_macmini$/);
});
