import type { Page } from 'playwright/test';
import { joinTimes, seedHistory } from '../scripts/demo/history.ts';
import { seededRandom } from '../scripts/fleet/random.ts';
import { DESKTOP, expect, MORE, ONLY_PHONE, open, PHONE, test as base } from './support/test.ts';

/** The network has 91 days of history. */
const test = base.extend({
  server: async ({ server }, use) => {
    const now = Date.now();
    const nodes = joinTimes(12, now).map((joinedAt, n) => ({
      ...{ nodeId: `node_${n}`, lat: 52.5, lng: 13.5, region: 'EU', joinedAt },
    }));
    await seedHistory(server, nodes, now, seededRandom(7, 'history'));
    await use(server);
  },
});

const chart = (page: Page) => page.getByRole('slider', { name: 'Nodes by day' });
/** How many days before the last one the first of 30 is. In its first quarter of an hour, today isn't one yet. */
const LAST_OF_30 = /^2[89]$/;
const firstOf30 = async (page: Page) => {
  await expect(chart(page)).toHaveAttribute('aria-valuemax', LAST_OF_30);
  return Number(await chart(page).getAttribute('aria-valuemax'));
};
const readOut = (page: Page) => page.getByRole('main').locator('time').first();
/** Opens the page. @returns its days: the last one, and how it writes the one so many before */
async function openTrends(page: Page, url: string): Promise<(days: number) => string> {
  await open(page, url);
  const last = Date.parse((await readOut(page).getAttribute('datetime')) ?? '');
  return (days) => new Date(last - days * 86_400_000).toISOString().slice(0, 10);
}

test('the arrow keys move the day of all charts, the URL follows, and Escape goes back to today', async ({
  page,
  server,
}) => {
  const dayBefore = await openTrends(page, `${server.url}/trends`);
  await expect(
    page.getByRole('heading', { name: /^12 nodes, \d+ more than \d+ days ago$/ }),
  ).toBeVisible();
  await chart(page).focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('PageDown');
  await expect(readOut(page)).toHaveAttribute('datetime', dayBefore(8));
  const all = page.getByRole('slider');
  for (const slider of await all.all())
    await expect(slider).toHaveAttribute('aria-valuetext', /^\d+ \w{3} \d{4}: /);
  await expect(page).toHaveURL(`${server.url}/trends?day=${dayBefore(8)}`);
  await page.reload();
  await expect(readOut(page)).toHaveAttribute('datetime', dayBefore(8));
  await chart(page).press('Escape');
  await expect(readOut(page)).toHaveAttribute('datetime', dayBefore(0));
  await expect(page).toHaveURL(`${server.url}/trends`);
});

test('the pointer shows a day, a click chooses it', { tag: DESKTOP }, async ({ page, server }) => {
  const dayBefore = await openTrends(page, `${server.url}/trends?days=30`);
  const first = dayBefore(await firstOf30(page));
  const box = await chart(page).boundingBox();
  if (!box) throw new Error('The chart is not on the page.');
  await page.mouse.move(box.x + 1, box.y + 40);
  await expect(readOut(page)).toHaveAttribute('datetime', first);
  await page.mouse.move(box.x + 1, box.y - 60);
  await expect(readOut(page)).toHaveAttribute('datetime', dayBefore(0));
  await page.mouse.click(box.x + 1, box.y + 40);
  await page.mouse.move(box.x + 1, box.y - 60);
  await expect(readOut(page)).toHaveAttribute('datetime', first);
  await expect(page).toHaveURL(`${server.url}/trends?days=30&day=${first}`);
});

test(
  'another period and the table keep the day, and all days are a file',
  { tag: PHONE },
  async ({ page, server }) => {
    const dayBefore = await openTrends(page, `${server.url}/trends`);
    await open(page, `${server.url}/trends?day=${dayBefore(3)}`);
    await page.getByRole('link', { name: '30 days' }).click();
    await expect(page).toHaveURL(`${server.url}/trends?days=30&day=${dayBefore(3)}`);
    const days = (await firstOf30(page)) + 1;
    await expect(readOut(page)).toHaveAttribute('datetime', dayBefore(3));
    await page.getByRole('link', { name: 'Table' }).click();
    await expect(page.getByRole('row')).toHaveCount(days + 1);
    await expect(page.getByRole('slider')).toHaveCount(0);
    const loading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    expect((await loading).suggestedFilename()).toMatch(/^trends-\d{4}-\d\d-\d\d\.csv$/);
    await page.goBack();
    await expect(chart(page)).toBeVisible();
  },
);

test(
  'at 320 px no chart is wider than the screen',
  { tag: [ONLY_PHONE, MORE] },
  async ({ page, server }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page, `${server.url}/trends`);
    await expect(chart(page)).toBeVisible();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  },
);
