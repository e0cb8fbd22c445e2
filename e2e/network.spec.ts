import { expect, test } from './support/test.ts';

test('the page of the network is reached from the foot of every page, with scripts and without', async ({
  page,
  browser,
  server,
}) => {
  await page.goto(`${server.url}/status`);
  await page.getByRole('contentinfo').getByRole('link', { name: 'Network', exact: true }).click();
  await expect(page).toHaveURL(`${server.url}/network`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Network');
  await expect(page.getByRole('heading', { name: 'No signed settings' })).toBeVisible();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  await plain.goto(`${server.url}/network`);
  await expect(plain.getByRole('heading', { name: 'No signed settings' })).toBeVisible();
  await context.close();
});
