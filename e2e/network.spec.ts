import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedAt } from '../test/support/network-truth.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { expect, test } from './support/test.ts';

test.describe('a network that publishes its signed settings', () => {
  const folder = temporaryDirectory();
  const file = join(folder.path, 'truth.json');
  writeFileSync(file, JSON.stringify(publishedAt(Date.now())));
  test.use({ env: { TRUTH_FILE: file } });
  test.afterAll(() => folder.remove());

  test('its page is reached from the foot of every page, with scripts and without', async ({
    page,
    browser,
    server,
  }) => {
    await page.goto(`${server.url}/status`);
    await page.getByRole('contentinfo').getByRole('link', { name: 'Network', exact: true }).click();
    await expect(page).toHaveURL(`${server.url}/network`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Network');
    await expect(page.getByRole('heading', { name: 'Root, settings and log' })).toBeVisible();
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${server.url}/network`);
    await expect(plain.getByRole('heading', { name: 'Root, settings and log' })).toBeVisible();
    await context.close();
  });
});

test('no page leads to that of a network without signed settings, which says that there are none', async ({
  page,
  server,
}) => {
  await page.goto(`${server.url}/status`);
  const foot = page.getByRole('contentinfo');
  await expect(foot.getByRole('link', { name: 'Privacy' })).toBeVisible();
  await expect(foot.getByRole('link', { name: 'Network', exact: true })).toHaveCount(0);
  await page.goto(`${server.url}/network`);
  await expect(page.getByRole('heading', { name: 'No signed settings' })).toBeVisible();
});
