import type { Locator, Page } from 'playwright/test';
import { announce, announceMany, ping } from './support/seed.ts';
import { test as standing } from './support/fake-clock.ts';
import {
  DESKTOP,
  expect,
  expectLive,
  MORE,
  ONLY_PHONE,
  openLive,
  PHONE,
  test,
} from './support/test.ts';

test.use({ env: { COMPUTE_LISTING: 'announced' } });
standing.use({ env: { COMPUTE_LISTING: 'announced' } });

const box = (page: Page, name: string) =>
  page.getByRole('checkbox', { name: `Compare ${name}`, exact: true });
const tray = (page: Page) => page.getByRole('region', { name: 'Compare', exact: true });
const cells = (page: Page, head: string) =>
  page.getByRole('row', { name: new RegExp(`^${head}`) }).getByRole('cell');

const offer = (name: string, freeSlots: number) => ({
  name,
  image: 'alpine:3.20',
  replicas: 8,
  freeSlots,
});

/** Three offers on two nodes. */
async function announceThree(url: string, fireSlots: number): Promise<void> {
  await ping(url, { nodeId: 'node_a', lat: 48, lng: 11, region: 'EU' });
  await ping(url, { nodeId: 'node_b', lat: 48, lng: 11, region: 'AS' });
  await announce(url, { nodeId: 'node_a', computes: [offer('fire', fireSlots), offer('ocr', 2)] });
  await announce(url, { nodeId: 'node_b', computes: [offer('llm', 3)] });
}

standing(
  'offers are chosen through filters and compared live; one that goes away stays as offline',
  { tag: PHONE },
  async ({ page, server, clock, isMobile }) => {
    await announceThree(server.url, 9);
    await openLive(page, `${server.url}/computes`);
    await box(page, 'fire').check();
    await expect(page).toHaveURL(/\?compare=node_a:fire$/);
    await expect(tray(page).getByRole('link', { name: /^Compare/ })).toHaveCount(0);
    await page.getByRole('main').getByRole('searchbox').fill('llm');
    await expect(box(page, 'fire')).toHaveCount(0);
    await expect(tray(page).getByText('fire')).toBeVisible();
    await box(page, 'llm').check();
    await expect(page).toHaveURL(/\?q=llm&compare=node_a:fire,node_b:llm$/);
    await page.getByRole('link', { name: 'Remove filters' }).click();
    await box(page, 'ocr').check();
    await tray(page).getByRole('link', { name: 'Compare 3' }).click();

    await expect(page).toHaveURL(/\/computes\/compare\?compare=node_a:fire,node_b:llm,node_a:ocr$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Compare 3 offers');
    await expectLive(page);
    await expect(cells(page, 'Free slots')).toHaveText(['9highest', '3', '2']);
    // Three share the number of replicas.
    await expect(cells(page, 'Replicas')).toHaveText(['8', '8', '8']);
    await expect(cells(page, 'Region')).toHaveText(['Europe', 'Asia', 'Europe']);
    if (isMobile)
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
        .toBe(page.viewportSize()?.width);

    await announceThree(server.url, 1);
    await expect(cells(page, 'Free slots')).toHaveText(['1', '3highest', '2']);
    clock.advance(server.services.config.computeFreshMs + 1000);
    await expect(cells(page, 'State')).toHaveText(['offline', 'offline', 'offline']);
    await server.services.nodes.block({ nodeId: 'node_b', reviewer: 'ada', reason: 'test' });
    await announce(server.url, { nodeId: 'node_a', computes: [offer('fire', 4), offer('ocr', 2)] });
    await expect(cells(page, 'State')).toHaveText(['available', 'offline', 'available']);
    await expect(cells(page, 'Free slots')).toHaveText(['4highest', '0', '2']);

    await page.getByRole('link', { name: 'Remove llm' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Compare 2 offers');
    await page.getByRole('link', { name: 'Compute directory' }).click();
    await expect(box(page, 'fire')).toBeChecked();
    await expect(box(page, 'ocr')).toBeChecked();
  },
);

test(
  'a fifth offer is refused with the reason, and all of it works by keyboard',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await announceMany(server.url, 20);
    await openLive(page, `${server.url}/computes`);
    for (let n = 0; n < 4; n++) {
      await box(page, `compute-0000${n}`).focus();
      await page.keyboard.press('Space');
      await expect(box(page, `compute-0000${n}`)).toBeChecked();
      await expect(box(page, `compute-0000${n}`)).toBeFocused();
    }
    const fifth = box(page, 'compute-00004');
    await expect(fifth).toHaveAttribute('aria-disabled', 'true');
    await expect(fifth).toHaveAccessibleDescription(/Four is the most/);
    await fifth.focus();
    await page.keyboard.press('Space');
    await expect(fifth).not.toBeChecked();
    await expect(tray(page).getByRole('listitem')).toHaveCount(4);

    // The last row and the footer can be scrolled to above the tray.
    await page.keyboard.press('End');
    const top = (await tray(page).boundingBox())?.y ?? 0;
    await expect
      .poll(async () => {
        const footer = await page.getByRole('contentinfo').boundingBox();
        return (footer?.y ?? Infinity) + (footer?.height ?? 0);
      })
      .toBeLessThanOrEqual(top + 1);

    await tray(page).getByRole('link', { name: 'Remove compute-00000' }).focus();
    await page.keyboard.press('Enter');
    await expect(fifth).not.toHaveAttribute('aria-disabled');
    await tray(page).getByRole('link', { name: 'Clear' }).click();
    await expect(page).toHaveURL(/\/computes$/);
    await expect(tray(page)).toHaveCount(0);
  },
);

test(
  'without scripts a form sends the ticked offers, and a file has only them',
  { tag: DESKTOP },
  async ({ server, browser }) => {
    await announceThree(server.url, 9);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${server.url}/computes`);
    await box(page, 'fire').check();
    await box(page, 'llm').check();
    await page.getByRole('button', { name: 'Compare' }).click();
    await expect(page).toHaveURL(/\/computes\/compare\?compare=.*fire.*compare=.*llm/);
    await expect(cells(page, 'Free slots')).toHaveText(['9highest', '3']);
    const href = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
    const csv = await (await fetch(new URL(href ?? '', server.url))).text();
    const names = csv
      .trim()
      .split('\r\n')
      .map((line) => line.split(',')[1]);
    expect(names).toEqual(['name', 'fire', 'llm']);

    await page.goto(`${server.url}/computes/compare?compare=fire,nothing`);
    await expect(cells(page, 'State')).toHaveText(['available', 'not listed']);
    await page.goto(`${server.url}/computes/compare`);
    await expect(page.getByText('Choose up to four offers from the directory.')).toBeVisible();
    await context.close();
  },
);

test(
  'on a phone the names stay above their columns and the rows keep their heads, however the table is scrolled',
  { tag: [ONLY_PHONE, MORE] },
  async ({ page, server }) => {
    await announceThree(server.url, 9);
    await page.setViewportSize({ width: 390, height: 500 });
    await openLive(
      page,
      `${server.url}/computes/compare?compare=node_a:fire,node_b:llm,node_a:ocr`,
    );
    // Screen readers have the names in the head of the table.
    const names = page.locator('main [aria-hidden] span').filter({ hasText: /^(fire|llm|ocr)$/ });
    await expect(names).toHaveText(['fire', 'llm', 'ocr']);
    await expect(names.first()).toBeHidden();
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await expect(names.first()).toBeInViewport();

    const left = async (of: Locator) => (await of.boundingBox())?.x ?? NaN;
    const table = page.getByRole('table');
    await table.evaluate((element) => element.parentElement?.scrollTo(1000, 0));
    const last = table.getByRole('row').last();
    await expect.poll(() => left(last.getByRole('rowheader'))).toBe(16);
    const column = await left(last.getByRole('cell').last());
    expect(column).toBeLessThan(390 - 174 + 1);
    await expect.poll(async () => Math.abs((await left(names.last())) - column)).toBeLessThan(2);
  },
);
