import type { Page } from 'playwright/test';
import { chromium } from '../test/support/chromium.ts';
import { DESKTOP, expect, openLive, test } from './support/test.ts';

/**
 * Whether a browser may bring a page back as it was left. The headless one never does, but says what else would keep it from
 * doing so.
 */

const launch = await chromium();

test.use({
  // Playwright switches it off.
  launchOptions: { ...launch, ignoreDefaultArgs: ['--disable-back-forward-cache'] },
});

/** Reasons of this browser and of how it is driven, not of the page. */
const OF_THE_BROWSER = ['BackForwardCacheDisabledForDelegate', 'BrowsingInstanceNotSwapped'];

/** Leaves the page for the documentation and comes back. @returns what of the page prevents that it is brought back */
async function comeBack(page: Page): Promise<string[]> {
  const client = await page.context().newCDPSession(page);
  await client.send('Page.enable');
  const told = new Promise<string[]>((resolve) =>
    client.once('Page.backForwardCacheNotUsed', ({ notRestoredExplanations }) =>
      resolve(notRestoredExplanations.map(({ reason }) => reason)),
    ),
  );
  await page.evaluate(() => window.location.assign('/docs'));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Docs');
  await page.goBack();
  return (await told).filter((reason) => !OF_THE_BROWSER.includes(reason));
}

for (const path of ['/', '/computes'])
  test(
    `nothing of ${path} prevents it, though it is live`,
    { tag: DESKTOP },
    async ({ page, server }) => {
      await openLive(page, `${server.url}${path}`);
      expect(await comeBack(page)).toEqual([]);
      await expect(page.getByRole('status')).toHaveText('Live');
    },
  );
