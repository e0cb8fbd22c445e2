import type { Page } from 'playwright/test';
import { startNetworkProxy } from '../test/support/network-proxy.ts';
import type { TestServer } from '../test/support/server.ts';
import { activateNames } from './support/names.ts';
import { test as standingBase } from './support/fake-clock.ts';
import { ping } from './support/seed.ts';
import {
  CONNECTION_LOST,
  DESKTOP,
  expect,
  MORE,
  ONLY_PHONE,
  open,
  PHONE,
  test as base,
} from './support/test.ts';

/** With two active names. */
const named = {
  server: async (
    { server }: { server: TestServer },
    use: (server: TestServer) => Promise<void>,
  ) => {
    await activateNames(server, [
      { name: 'garage', nodeId: 'node_garage', kinds: ['node', 'compute'] },
      { name: 'attic', nodeId: 'node_attic', kinds: ['node'] },
    ]);
    await use(server);
  },
};
const test = base.extend(named);
/** Nodes stay online however slow the machine is. */
const standing = standingBase.extend(named);

const searchBox = (page: Page) => page.getByRole('main').getByRole('searchbox');
const names = (page: Page) => page.getByRole('rowheader').getByRole('link');
const liveState = (page: Page) => page.getByRole('banner').getByRole('status');
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

standing(
  'a name is found and opened with the keyboard alone, and Back works',
  { tag: PHONE },
  async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_garage', lat: 48, lng: 11.5 });
    await page.goto(`${server.url}/registry`);
    await expect(names(page)).toHaveText(['attic', 'garage']);
    await expect.poll(() => overflow(page)).toBe(0);
    await searchBox(page).focus();
    await page.keyboard.type('gar');
    await expect(names(page)).toHaveText(['garage']);
    await expect(page).toHaveURL(/\?q=gar$/);
    await expect(searchBox(page)).toBeFocused();

    const link = names(page).filter({ hasText: 'garage' });
    const focused = () => link.evaluate((element) => element === document.activeElement);
    for (let presses = 0; presses < 20 && !(await focused()); presses++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('garage');
    await expect(page.getByRole('region', { name: 'Status', exact: true })).toContainText('Online');
    await page.getByRole('region', { name: 'Share' }).scrollIntoViewIfNeeded();
    await expect(page.getByRole('img', { name: /^garage: / })).toHaveJSProperty(
      'naturalHeight',
      20,
    );
    await expect.poll(() => overflow(page)).toBe(0);
    await page.goBack();
    await expect(searchBox(page)).toHaveValue('gar');
    await expect(names(page)).toHaveText(['garage']);
  },
);

test(
  'Back brings the text of the field that has the focus',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await open(page, `${server.url}/registry`);
    await searchBox(page).fill('gar');
    await expect(page).toHaveURL(/\?q=gar$/);
    await page.getByRole('banner').getByRole('link', { name: 'Registry', exact: true }).click();
    await expect(page).toHaveURL(/\/registry$/);
    await expect(searchBox(page)).toHaveValue('');
    await searchBox(page).focus();
    await page.goBack();
    await expect(searchBox(page)).toHaveValue('gar');
    await expect(names(page)).toHaveText(['garage']);
  },
);

test(
  'on a phone the filters are in a sheet, and each chosen one can be taken off',
  { tag: [PHONE, ONLY_PHONE] },
  async ({ page, server }) => {
    await open(page, `${server.url}/registry`);
    const filters = page.locator('summary', { hasText: 'Filters' });
    await filters.click();
    await page.getByRole('link', { name: /^Offer \d/ }).click();
    await expect(page).toHaveURL(/\?kind=compute$/);
    await page.getByRole('button', { name: 'Show 1 name' }).click();
    await expect(filters).toBeFocused();
    await expect(names(page)).toHaveText(['garage']);
    await page.getByRole('link', { name: 'Remove the filter Offer 1' }).click();
    await expect(names(page)).toHaveText(['attic', 'garage']);
  },
);

test.describe('on any screen', { tag: DESKTOP }, () => {
  standing(
    'the page of a name shows its place, badges with their code, and its card',
    async ({ page, server }) => {
      await ping(server.url, { nodeId: 'node_attic', lat: 48, lng: 11.5 });
      // The first picture waits for its thread: on a busy machine longer than an expectation of the page waits.
      expect((await fetch(`${server.url}/registry/attic/card.png`)).status).toBe(200);
      const cards: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/card.png')) cards.push(request.url());
      });
      await page.goto(`${server.url}/registry/attic`);
      await expect(page.getByRole('region', { name: 'Place', exact: true })).toContainText(
        '48.0° N',
      );
      const share = page.getByRole('region', { name: 'Share', exact: true });
      const code = share.getByLabel('Status badge in Markdown');
      await expect(code).toBeHidden();
      await share.getByText('Get the badge code').click();
      for (const badge of ['Status', 'Uptime', 'Free slots'])
        await expect(share.getByLabel(`${badge} badge in Markdown`)).toContainText('[![attic');
      await expect(share.getByRole('img', { name: /^attic uptime/ })).toBeVisible();
      // The card is large: nobody loads it who doesn't look at it.
      expect(cards).toEqual([]);
      await share.getByText('Show the link preview').click();
      const card = page.getByRole('img', { name: 'attic on Mesh Registry: online' });
      await card.scrollIntoViewIfNeeded();
      await expect(card).toHaveJSProperty('naturalWidth', 1200);
      // The table of all names is the widest part of these pages.
      await page.setViewportSize({ width: 768, height: 900 });
      await page.goto(`${server.url}/registry`);
      await expect(names(page)).toHaveText(['attic', 'garage']);
      await expect.poll(() => overflow(page)).toBe(0);
    },
  );

  for (const moment of ['before the search starts', 'while the search is loading'] as const)
    test(
      `a filter that is clicked ${moment} is kept, and so is the search`,
      { tag: MORE },
      async ({ page, server }) => {
        await open(page, `${server.url}/registry`);
        const search = searchBox(page);
        const filter = page
          .getByRole('list', { name: 'Kinds' })
          .getByRole('link', { name: /^Offer \d/ });
        if (moment === 'before the search starts') {
          // In one task of the browser, which is sooner after typing than a real click could be.
          const link = await filter.elementHandle();
          await search.evaluate((input: HTMLInputElement, link) => {
            input.focus();
            document.execCommand('insertText', false, 'node');
            (link as HTMLElement).click();
          }, link);
        } else {
          let release = () => {};
          const clicked = new Promise<void>((resolve) => (release = resolve));
          await page.route(
            (url) => url.searchParams.get('q') === 'node',
            async (route) => {
              await clicked;
              await route.continue().catch(() => {});
            },
          );
          const loading = page.waitForRequest((request) => request.url().includes('q=node'));
          await search.fill('node');
          await loading;
          await filter.click();
          await expect(page).toHaveURL(/kind=compute/);
          release();
        }
        await expect(page).toHaveURL((url) => url.search === '?q=node&kind=compute');
        await expect(names(page)).toHaveText(['garage']);
        await expect(search).toHaveValue('node');
      },
    );

  test(
    'while the server is unavailable the list stays, and then continues automatically',
    { tag: MORE },
    async ({ page, server, allowed }) => {
      allowed.push(CONNECTION_LOST);
      const proxy = await startNetworkProxy(server.url);
      await open(page, `${proxy.url}/registry?kind=node`);
      await proxy.cut();
      const lookAgain = () => page.evaluate(() => window.dispatchEvent(new Event('online')));
      await expect(async () => {
        await lookAgain();
        await expect(liveState(page)).toContainText('Reconnecting', { timeout: 1000 });
      }).toPass();
      await expect(names(page)).toHaveText(['attic', 'garage']);
      await proxy.restore();
      // A node that goes on sending heartbeats.
      await expect(async () => {
        await ping(server.url, { nodeId: 'node_attic', lat: 1, lng: 1 });
        await lookAgain();
        await expect(page.getByRole('row', { name: /attic/ })).toContainText('online', {
          timeout: 5000,
        });
      }).toPass();
      await expect(liveState(page)).toHaveText('Updated every 10 s');
      await proxy.cut();
    },
  );
});
