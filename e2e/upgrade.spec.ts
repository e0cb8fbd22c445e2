import { DESKTOP, expect, open, test } from './support/test.ts';

/** A page that was opened before the service was upgraded. */

test.use({ allowed: [/Error loading route module|Failed to fetch dynamically|404 \(Not Found\)/] });

test(
  'a link whose code is gone opens its page, as a whole new one',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await open(page, `${server.url}/docs`);
    // The next release has other names for its files.
    await page.route(/\/assets\/registry\._index-/, (route) => route.fulfill({ status: 404 }), {
      times: 1,
    });
    await page.evaluate(() => Object.assign(document.documentElement.dataset, { before: 'true' }));
    await page.getByRole('link', { name: 'Registry', exact: true }).first().click();
    await expect(page).toHaveURL(`${server.url}/registry`);
    await expect(page.locator('html')).not.toHaveAttribute('data-before');
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/name|registry/i);
  },
);

test(
  'a link whose page has data of the next release opens it as a whole new one',
  {
    tag: DESKTOP,
  },
  async ({ page, server }) => {
    await open(page, `${server.url}/docs`);
    await page.route(/\/registry\.data/, async (route) => {
      const response = await route.fetch();
      const headers = response.headers();
      // As the service says it, or the test would pass without.
      expect(headers['x-release']).toBe(
        await page.evaluate(() => window.__remixManifest?.version ?? 'none'),
      );
      await route.fulfill({ response, headers: { ...headers, 'x-release': 'next' } });
    });
    await page.evaluate(() => Object.assign(document.documentElement.dataset, { before: 'true' }));
    await page.getByRole('link', { name: 'Registry', exact: true }).first().click();
    await expect(page).toHaveURL(`${server.url}/registry`);
    await expect(page.locator('html')).not.toHaveAttribute('data-before');
  },
);
