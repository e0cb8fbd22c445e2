import type { Page } from 'playwright/test';
import { activateNames } from './support/names.ts';
import { ping } from './support/seed.ts';
import {
  DESKTOP,
  expect,
  MORE,
  ONLY_PHONE,
  open,
  openLive,
  PHONE,
  test as base,
  theMap,
} from './support/test.ts';

/** With one active name and three nodes. */
const test = base.extend({
  server: async ({ server }, use) => {
    await activateNames(server, [{ name: 'garage', nodeId: 'node_garage', kinds: ['node'] }]);
    for (const nodeId of ['node_garage', 'node_attic', 'node_cellar'])
      await ping(server.url, { nodeId, lat: 48, lng: 11.5 });
    await use(server);
  },
});

const field = (page: Page) => page.getByRole('banner').getByRole('combobox');
const options = (page: Page) => page.getByRole('banner').getByRole('option');
const heading = (page: Page) => page.getByRole('heading', { level: 1 });

test.describe('from any page', { tag: DESKTOP }, () => {
  test('a slash, some letters, an arrow and Enter open a result', async ({ page, server }) => {
    await open(page, `${server.url}/status`);
    await page.keyboard.press('/');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type('node_');
    await expect(options(page)).toHaveCount(4);
    await expect(field(page)).toHaveAttribute('aria-expanded', 'true');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const chosen = options(page).nth(1);
    await expect(chosen).toHaveAttribute('aria-selected', 'true');
    await expect(field(page)).toHaveAttribute(
      'aria-activedescendant',
      (await chosen.getAttribute('id')) ?? '',
    );
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/nodes\/node_attic$/);
    await expect(options(page)).toHaveCount(0);
    await expect(field(page)).toHaveValue('');
  });

  test(
    'at 1280 px the field is as wide as what it suggests',
    { tag: MORE },
    async ({ page, server }) => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await open(page, `${server.url}/docs`);
      const widths = await field(page).evaluate((input: HTMLInputElement) => {
        const { font, paddingLeft, paddingRight } = getComputedStyle(input);
        const context = document.createElement('canvas').getContext('2d');
        if (!context) throw new Error('There is no canvas.');
        context.font = font;
        const room = input.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
        return [context.measureText(input.placeholder).width, room] as const;
      });
      expect(widths[0]).toBeLessThanOrEqual(widths[1]);
    },
  );

  test(
    'Enter opens the only result, even before it is known',
    { tag: MORE },
    async ({ page, server }) => {
      await open(page, `${server.url}/docs`);
      await field(page).fill('cellar');
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(/\/nodes\/node_cellar$/);
    },
  );

  test('with several results Enter shows all of them, under a URL to share', async ({
    page,
    server,
  }) => {
    await open(page, `${server.url}/registry`);
    await field(page).fill('garage');
    await expect(options(page).last()).toHaveText('All results for “garage”');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/search\?q=garage$/);
    const main = page.getByRole('main');
    await expect(main.getByRole('region', { name: 'Names' }).getByRole('link')).toHaveCount(1);
    await expect(main.getByRole('region', { name: 'Nodes' }).getByRole('link')).toHaveCount(1);
    await main.getByRole('searchbox').fill('attic');
    await expect(page).toHaveURL(/\/search\?q=attic$/);
    await expect(main.getByRole('region', { name: 'Names' })).toHaveCount(0);
    await page.goBack();
    await expect(heading(page)).toHaveText('Registry');
  });

  test(
    'Escape closes the results, and a slash in a field is a slash',
    { tag: MORE },
    async ({ page, server }) => {
      await open(page, `${server.url}/registry`);
      await field(page).fill('garage');
      await expect(options(page).first()).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(options(page)).toHaveCount(0);
      await expect(field(page)).toHaveValue('garage');
      const filter = page.getByRole('main').getByRole('searchbox');
      await filter.focus();
      await page.keyboard.press('/');
      await expect(filter).toHaveValue('/');
    },
  );

  test('what is typed stays while the map writes its view into the URL', async ({
    page,
    server,
  }) => {
    await openLive(page, server.url);
    const before = page.url();
    await theMap(page).focus();
    await page.keyboard.press('+');
    await field(page).fill('garage');
    await expect(page).not.toHaveURL(before);
    await expect(options(page).first()).toBeVisible();
    await expect(field(page)).toHaveValue('garage');
    await expect(field(page)).toBeFocused();
  });

  test('Enter opens nothing that was found for an earlier text', async ({ page, server }) => {
    await open(page, `${server.url}/status`);
    await field(page).fill('node_');
    await expect(options(page)).toHaveCount(4);
    let answer = (): void => undefined;
    const slow = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/search.*cellar/, async (route) => {
      await slow;
      await route.continue();
    });
    await field(page).fill('cellar');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    answer();
    await expect(page).toHaveURL(/\/nodes\/node_cellar$/);
  });

  test('without a match it says so', { tag: MORE }, async ({ page, server }) => {
    await open(page, `${server.url}/computes`);
    await field(page).fill('nobody');
    await expect(page.getByRole('search', { name: 'Site' })).toContainText(
      'Nothing matches “nobody”.',
    );
  });
});

test('the key can be switched off and on', { tag: DESKTOP }, async ({ page, server }) => {
  await open(page, `${server.url}/search`);
  const setting = page.getByLabel('Use keyboard shortcuts on this device');
  await setting.uncheck();
  await open(page, `${server.url}/status`);
  await expect(field(page)).not.toHaveAttribute('aria-keyshortcuts');
  await expect(page.getByRole('banner').locator('kbd')).toHaveCount(0);
  await page.keyboard.press('/');
  await expect(field(page)).not.toBeFocused();
  await open(page, `${server.url}/search`);
  await setting.check();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
});

test(
  'Back restores the text of a list’s field, even while it has the focus',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await open(page, `${server.url}/registry`);
    const filter = page.getByRole('main').getByRole('searchbox');
    await filter.focus();
    // Enter right after the last letter, before the search of its own accord: another entry of the history.
    await filter.evaluate((input: HTMLInputElement) => {
      input.value = 'gar';
      input.dispatchEvent(new Event('input', { bubbles: true }));
      input.form?.requestSubmit();
    });
    await expect(page).toHaveURL(/q=gar/);
    await page.goBack();
    await expect(page).toHaveURL(/\/registry$/);
    await expect(filter).toBeFocused();
    await expect(filter).toHaveValue('');
    await page.goForward();
    await expect(filter).toHaveValue('gar');
  },
);

test(
  'a phone has a link to the page of the search, and so has the key',
  { tag: [PHONE, ONLY_PHONE] },
  async ({ page, server }, info) => {
    test.skip(!info.project.use.isMobile, 'Other screens have the field.');
    await open(page, `${server.url}/status`);
    await page.getByRole('banner').getByRole('link', { name: 'Search' }).click();
    await expect(heading(page)).toHaveText('Search');
    await page.getByRole('searchbox').fill('gar');
    await page.getByRole('region', { name: 'Names' }).getByRole('link').click();
    await expect(heading(page)).toHaveText('garage');
    await page.keyboard.press('/');
    await expect(page.getByRole('searchbox')).toBeFocused();
  },
);
