import type { Page } from 'playwright/test';
import { ping } from './support/seed.ts';
import { DESKTOP, expect, open, test } from './support/test.ts';

const PAGES = [
  ['Reference', 'REST reference'],
  ['Operators', 'For operators'],
  ['Status pages', 'For status pages'],
  ['Privacy', 'Privacy'],
] as const;

/** By how much the page is wider than the window (px). */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Follows the links to all pages, and on each the link to its last section. */
async function readAll(page: Page, url: string): Promise<void> {
  await open(page, `${url}/docs`);
  for (const [link, title] of PAGES) {
    await page
      .getByRole('navigation', { name: 'Documentation' })
      .getByRole('link', { name: link })
      .click();
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link').last().click();
    await expect(page.locator('section:target')).toBeInViewport();
  }
}

test('the pages link to each other and to their sections, and fit the window', async ({
  page,
  server,
  isMobile,
}) => {
  // The narrowest supported phone.
  if (isMobile) await page.setViewportSize({ width: 320, height: 700 });
  await readAll(page, server.url);

  await page.goto(`${server.url}/docs`);
  for (const summary of await page.locator('summary').all()) await summary.click();
  await expect(page.getByText('recentPings[].isNew')).toBeVisible();
  await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);

  // The browser stores only what the privacy page lists.
  const kept = await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage)]);
  expect(kept).toEqual([[], ['positions']]);
  expect(await page.context().cookies()).toEqual([]);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });
  test('everything works except the copy buttons', { tag: DESKTOP }, async ({ page, server }) => {
    await page.goto(`${server.url}/docs#ping`);
    const heartbeat = page.getByRole('region', { name: /Send a node’s heartbeat/ });
    await expect(heartbeat).toBeInViewport();
    await expect(heartbeat).toContainText(`curl -s -X POST ${server.url}/api/mesh/ping`);
    await heartbeat.getByText('Fields of PingAnswer').click();
    await expect(heartbeat.getByText('peer.lastSeen')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Copy' })).toHaveCount(0);
  });
});

test('the program for browsers follows the network', { tag: DESKTOP }, async ({ page, server }) => {
  await page.goto(`${server.url}/docs/status-pages`);
  const program = await page.getByRole('group', { name: 'In a browser' }).innerText();
  await ping(server.url, { nodeId: 'node_a', lat: 1, lng: 2 });
  await page.evaluate(program);
  await expect(page).toHaveTitle('1 of 1 online');
  await ping(server.url, { nodeId: 'node_b', lat: 1, lng: 2, status: 'idle' });
  await expect(page).toHaveTitle('1 of 2 online');
});
