import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Page } from 'playwright/test';
import { DESKTOP, expect, expectTakenOver, MORE, ONLY_PHONE, test } from './support/test.ts';

/** Passes requests on to the server at `target`. It can hold back a part of a page's data. */
async function startHoldingProxy(target: string) {
  /** How much of it passes, 0 to 1; what is held back never comes. */
  let share: number | undefined;
  const proxy = createServer((request, response) => {
    void (async () => {
      // Uncompressed, so that half of the bytes are half of the text. A new connection each: none is closed in use.
      const headers = { ...request.headers, 'accept-encoding': 'identity' };
      const asked = get(target + request.url, { agent: false, headers });
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      const body = await buffer(answer);
      // Without a length, so that also the end can be held back.
      const { 'content-length': _, ...given } = answer.headers;
      response.writeHead(answer.statusCode ?? 500, given);
      if (share === undefined || !/\.data\b/.test(request.url ?? '')) response.end(body);
      else response.write(body.subarray(0, Math.ceil(body.length * share)));
      // The page's stream of changes never ends before the server does.
    })().catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    hold: (passing: number | undefined) => void (share = passing),
    stop: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

/** `arrived` resolves once a part of the next page's data has reached the browser. */
async function watchData(page: Page): Promise<{ arrived: Promise<void> }> {
  const network = await page.context().newCDPSession(page);
  const ids = new Set<string>();
  const arrived = new Promise<void>((resolve) => {
    network.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (/\.data\b/.test(request.url)) ids.add(requestId);
    });
    network.on('Network.dataReceived', ({ requestId }) => {
      if (ids.has(requestId)) resolve();
    });
  });
  await network.send('Network.enable');
  return { arrived };
}

for (const [what, share] of [
  ['half', 0.5],
  ['all but the end', 1],
] as const)
  test(
    `a page that is left when ${what} of its data has arrived raises no error`,
    { tag: [DESKTOP, MORE] },
    async ({ page, server }) => {
      const proxy = await startHoldingProxy(server.url);
      const link = (path: string) => page.locator(`a[href="${path}"]:visible`).first();
      await page.goto(`${proxy.url}/docs`);
      await expectTakenOver(page);
      for (const path of ['/registry', '/computes']) {
        proxy.hold(share);
        const data = await watchData(page);
        await link(path).click();
        await data.arrived;
        proxy.hold(undefined);
        await link('/status').click();
        await expect(page).toHaveURL(`${proxy.url}/status`);
        // The URL changes before the page.
        await expect(page.getByRole('heading', { level: 1 })).toHaveText('Status');
      }
      // The fixture checks the browser's complaints, so the proxy doesn't end under an open page.
      await page.close();
      proxy.stop();
    },
  );

test(
  'a key that is pressed while the page hydrates raises no error',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    // As on a busy machine: React gets its turn late, and keys come first.
    await page.addInitScript(() => {
      const post = MessagePort.prototype.postMessage;
      MessagePort.prototype.postMessage = function (this: MessagePort, ...message: [unknown]) {
        setTimeout(() => post.apply(this, message), 500);
      };
    });
    await page.goto(`${server.url}/docs`, { waitUntil: 'commit' });
    await page.waitForFunction(() => '__remixRouteModules' in window);
    for (let presses = 0; presses < 10; presses++) await page.keyboard.press('Tab', { delay: 50 });
    await expectTakenOver(page);
    await expect(page.locator('a:focus, input:focus')).toHaveCount(1);
  },
);

test(
  'a page that could not be loaded says why, and comes by itself once the network is back',
  { tag: DESKTOP },
  async ({ page, context, server, allowed }) => {
    allowed.push(/ERR_INTERNET_DISCONNECTED/);
    await page.goto(`${server.url}/search`);
    await expectTakenOver(page);
    const heading = page.getByRole('heading', { level: 1 });
    await page.getByRole('link', { name: 'Privacy', exact: true }).click();
    await expect(heading).toHaveText('Privacy');
    await page.goBack();
    await expect(heading).toHaveText('Search');
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Privacy', exact: true }).click();
    await expect(heading).toHaveText('You’re offline');
    await expect(page.getByRole('link', { name: 'Try again' })).toHaveAttribute(
      'href',
      '/docs/privacy',
    );
    await context.setOffline(false);
    await expect(heading).toHaveText('Privacy');
  },
);

test(
  'a page that is long on its way is announced by a line below the header, which moves nothing',
  { tag: DESKTOP },
  async ({ page, server }) => {
    const proxy = await startHoldingProxy(server.url);
    await page.goto(`${proxy.url}/docs`);
    await expectTakenOver(page);
    const bar = page.getByRole('banner').locator('[class*=loading]');
    const main = page.getByRole('main');
    const before = await main.boundingBox();
    proxy.hold(0);
    await page.locator('a[href="/registry"]:visible').first().click();
    await expect(bar).toBeVisible();
    expect((await bar.boundingBox())?.height).toBe(2);
    expect(await main.boundingBox()).toEqual(before);
    proxy.hold(undefined);
    await page.locator('a[href="/status"]:visible').first().click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Status');
    await expect(bar).toHaveCount(0);
    await page.close();
    proxy.stop();
  },
);

test(
  'a phone’s menu opens and closes by touch and by keyboard, and leads on',
  { tag: ONLY_PHONE },
  async ({ page, server }) => {
    await page.goto(`${server.url}/docs`);
    await expectTakenOver(page);
    const button = page.getByRole('button', { name: 'Menu' });
    const menu = page.getByRole('navigation', { name: 'Site' });
    await expect(menu).toBeHidden();
    await button.tap();
    await expect(menu).toBeVisible();
    for (const link of await menu.getByRole('link').all())
      expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await page.keyboard.press('Escape');
    await expect(menu).toBeHidden();
    await expect(button).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(menu).toBeVisible();
    await page.touchscreen.tap(6, 300);
    await expect(menu).toBeHidden();
    await button.tap();
    await menu.getByRole('link', { name: 'Trends' }).tap();
    await expect(page).toHaveURL(`${server.url}/trends`);
    await expect(menu).toBeHidden();
  },
);
