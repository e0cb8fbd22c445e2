import type { Page } from 'playwright/test';
import { startNetworkProxy } from '../test/support/network-proxy.ts';
import { ping } from './support/seed.ts';
import { test as ownProcess } from './support/own-process.ts';
import {
  CONNECTION_LOST,
  DESKTOP,
  expect,
  expectLive,
  MORE,
  open,
  openLive,
  PHONE,
  test,
} from './support/test.ts';

const banner = (page: Page) => page.getByRole('status').filter({ hasText: /restarting|offline\./ });
const state = (page: Page) => page.getByRole('banner').getByRole('status');
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const scrolledTo = (page: Page) => page.evaluate(() => window.scrollY);

ownProcess(
  'a page says that the service restarts, when it asks again, and is live once it is back',
  { tag: PHONE },
  async ({ page, server, allowed }) => {
    allowed.push(CONNECTION_LOST);
    await ping(server.url, { nodeId: 'node_a', label: 'attic', lat: 48, lng: 11 });
    for (const path of ['/', '/computes', '/nodes/node_a']) {
      await openLive(page, server.url + path);
      const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(await wide()).toBe(0);
      await server.kill();
      await expect(banner(page)).toContainText(
        /^The service is restarting\. Showing data from \d\d:\d\d:\d\d GMT\+1[23]\./,
      );
      await expect(banner(page)).toContainText(/Trying again (in \d+ s|now)\./);
      await expect(banner(page)).toHaveCount(1);
      // Who listens to the page is told once, not every second.
      await expect(banner(page).locator('[aria-hidden]', { hasText: 'Trying' })).toHaveCount(1);
      await expect(state(page)).toContainText('Reconnecting');
      expect(await wide()).toBe(0);
      if (path === '/') {
        // The map gives way: the page still fills the window, and doesn't scroll.
        const map = await page.getByRole('main').boundingBox();
        expect(Math.round((map?.y ?? 0) + (map?.height ?? 0))).toBe(page.viewportSize()?.height);
      }
      await server.start();
      await expect(banner(page)).toHaveCount(0);
      await expectLive(page);
    }
  },
);

test('a hiccup of a second moves nothing', { tag: DESKTOP }, async ({ page, server, allowed }) => {
  allowed.push(CONNECTION_LOST);
  const proxy = await startNetworkProxy(server.url);
  await openLive(page, `${proxy.url}/computes`);
  await page.evaluate(() => {
    const news = document.querySelector('#site-news') as HTMLElement;
    new MutationObserver(() => Object.assign(news.dataset, { spoke: 'true' })).observe(news, {
      childList: true,
    });
  });
  await proxy.cut();
  await expect(state(page)).toContainText('Reconnecting');
  await proxy.restore();
  await expectLive(page);
  await expect(page.locator('#site-news')).not.toHaveAttribute('data-spoke');
  await proxy.cut();
});

test(
  'on a page that was scrolled the banner is seen, and what is read stays where it is',
  { tag: DESKTOP },
  async ({ page, server, allowed }) => {
    allowed.push(CONNECTION_LOST);
    const proxy = await startNetworkProxy(server.url);
    await page.setViewportSize({ width: 1280, height: 500 });
    await ping(server.url, { nodeId: 'node_a', label: 'attic', lat: 48, lng: 11 });
    await openLive(page, `${proxy.url}/nodes/node_a`);
    const identity = page.getByRole('heading', { name: 'Identity' });
    await identity.scrollIntoViewIfNeeded();
    // At once: a wheel still scrolls while the page is measured.
    await page.evaluate(() => window.scrollBy({ top: 200, behavior: 'instant' }));
    expect(await scrolledTo(page)).toBeGreaterThan(100);
    const before = (await identity.boundingBox())?.y;
    await proxy.cut();
    await expect(banner(page)).toBeInViewport();
    expect(Math.round((await identity.boundingBox())?.y ?? 0)).toBe(Math.round(before ?? -1));
    await proxy.restore();
    await banner(page).getByRole('button', { name: 'Try now' }).click();
    await expect(banner(page)).toHaveCount(0);
    expect(Math.round((await identity.boundingBox())?.y ?? 0)).toBe(Math.round(before ?? -1));
    await proxy.cut();
  },
);

test(
  'a link that leads nowhere says so, Back shows the page as it was, and all comes back by itself',
  { tag: PHONE },
  async ({ page, server, allowed }) => {
    allowed.push(CONNECTION_LOST, /Error loading route module/);
    const proxy = await startNetworkProxy(server.url);
    await ping(server.url, { nodeId: 'node_a', label: 'attic', lat: 48, lng: 11 });
    await openLive(page, `${proxy.url}/computes`);
    await proxy.cut();
    const footer = page.getByRole('contentinfo');
    await footer.getByRole('link', { name: 'Status' }).click();
    await expect(heading(page)).toHaveText('We can’t reach the service');
    await expect(page.getByRole('main')).toContainText(/Trying again (in \d+ s|now)\./);
    await page.getByRole('button', { name: 'Back' }).click();
    await expect(page).toHaveURL(`${proxy.url}/computes`);
    await expect(heading(page)).toContainText(/offer|Compute/);
    await expect(banner(page)).toBeVisible();
    await page.goForward();
    await expect(heading(page)).toHaveText('We can’t reach the service');
    await proxy.restore();
    await expect(heading(page)).toHaveText('Status');
    await proxy.cut();
  },
);

test(
  'a form that had no answer says why, and the page says when the service is asked again',
  { tag: DESKTOP },
  async ({ page, server, allowed }) => {
    allowed.push(CONNECTION_LOST);
    const proxy = await startNetworkProxy(server.url);
    await open(page, `${proxy.url}/register`);
    await page.getByRole('textbox', { name: 'Name' }).fill('garage');
    await proxy.cut();
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(banner(page)).toContainText('The service is restarting.');
    await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('garage');
    await proxy.restore();
    await expect(banner(page)).toHaveCount(0);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(heading(page)).toHaveText('Choose its node');
    await proxy.cut();
  },
);

test(
  'without a network the page says so, and is live again with it',
  { tag: [DESKTOP, MORE] },
  async ({ page, context, server, allowed }) => {
    allowed.push(CONNECTION_LOST);
    await ping(server.url, { nodeId: 'node_a', lat: 48, lng: 11 });
    const proxy = await startNetworkProxy(server.url);
    await openLive(page, `${proxy.url}/nodes/node_a`);
    await context.setOffline(true);
    // The browser keeps an open connection.
    await proxy.cut();
    await expect(banner(page)).toContainText('You’re offline. Showing data from');
    await expect(banner(page).getByRole('button')).toHaveCount(0);
    await expect(state(page)).toContainText('Offline');
    await proxy.restore();
    await context.setOffline(false);
    await expectLive(page);
    await expect(banner(page)).toHaveCount(0);
    await proxy.cut();
  },
);
