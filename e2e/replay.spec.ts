import type { Page } from 'playwright/test';
import { FakeClock } from '../test/support/fake-clock.ts';
import { startTestServer, type TestServer } from '../test/support/server.ts';
import { createDatabase } from './support/database.ts';
import { ping } from './support/seed.ts';
import { DESKTOP, expect, MORE, test as base, theMap } from './support/test.ts';

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const BERLIN = { lat: 52.5, lng: 13.5, region: 'EU' };

/**
 * A network that has grown in five quarters of an hour until now: 1, 2 and 3 nodes, a quarter in which the service was
 * away, and 4 nodes. It runs in this process, by a clock that the test moves.
 */
const test = base.extend<object, { seeded: TestServer }>({
  seeded: [
    async ({}, use) => {
      const { data, drop } = await createDatabase();
      const now = Math.floor(Date.now() / QUARTER) * QUARTER;
      const clock = new FakeClock(now - 5 * QUARTER);
      const server = await startTestServer({
        env: { ...data, RATE_LIMITS: 'off' },
        clock: clock.read,
      });
      const runUntil = async (until: number) => {
        while (clock.now < until) {
          clock.advance(Math.min(45_000, until - clock.now));
          await server.services.uptime.tick();
        }
      };
      await server.services.uptime.tick();
      for (const heard of [1, 2, 3, null, 4]) {
        const end = clock.now - (clock.now % QUARTER) + QUARTER;
        if (heard === null) clock.now = end;
        else {
          await runUntil(end - MINUTE);
          for (let n = 0; n < heard; n++)
            await ping(server.url, { nodeId: `node_${n}`, ...BERLIN });
        }
        await runUntil(end + 6000);
      }
      await use(server);
      await server.stop();
      await drop();
    },
    { scope: 'worker' },
  ],
  server: async ({ seeded }, use) => use(seeded),
});
// One worker, so that the network grows once.
test.describe.configure({ mode: 'default' });
test.beforeEach(({ page }) => page.emulateMedia({ reducedMotion: 'reduce' }));

const bar = (page: Page) => page.getByRole('region', { name: 'Replay', exact: true });
const slider = (page: Page) => page.getByRole('slider', { name: 'Time', exact: true });
const shows = (page: Page, nodes: string) =>
  expect(theMap(page)).toHaveAccessibleName(new RegExp(`^(Map|Globe): ${nodes} `));

test('the map is replayed by keyboard, says that it is not live, and goes back', async ({
  page,
  server,
}) => {
  await page.goto(server.url);
  await shows(page, '4 nodes');
  await page.goto(`${server.url}/?replay=24h`);
  await expect(bar(page)).toContainText('Not live');
  await expect(page.getByRole('status')).toHaveText('Replay');
  // Where motion is unwelcome nothing plays by itself: the last quarter of an hour is shown.
  await expect(slider(page)).toBeFocused();
  await expect(slider(page)).toHaveAttribute('aria-valuetext', /4 nodes at 1 place$/);
  await shows(page, '4 nodes');
  await page.keyboard.press('Home');
  await expect(slider(page)).toHaveAttribute(
    'aria-valuetext',
    /^\w{3},? \d+ \w+.*, \d\d:\d\d–\d\d:\d\d \S+, 1 node at 1 place$/,
  );
  await shows(page, '1 node');
  // A rail of the past says what its counts are; a phone has no rail then.
  await expect(page.locator('main')).toContainText('include nodes that were removed later');
  await page.keyboard.press('ArrowRight');
  await shows(page, '2 nodes');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await expect(slider(page)).toHaveAttribute('aria-valuetext', /, Not measured$/);
  await expect(bar(page)).toContainText('the service was down');
  await shows(page, '0 nodes');

  await page.keyboard.press('Home');
  await shows(page, '1 node');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await shows(page, '4 nodes');
  await expect(slider(page)).toHaveAttribute('aria-valuetext', /4 nodes at 1 place$/);
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible();
  // At the end it plays from the beginning.
  const shown = await slider(page).evaluateHandle((element) => {
    const texts: string[] = [];
    const add = () => texts.push(element.getAttribute('aria-valuetext') ?? '');
    new MutationObserver(add).observe(element, { attributes: true });
    return texts;
  });
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(() => shown.evaluate((texts) => texts.join())).toContain('1 node at 1 place');

  await page.getByRole('button', { name: 'Back to live' }).click();
  await expect(bar(page)).toBeHidden();
  await expect(page.getByRole('status')).toHaveText('Live');
  await shows(page, '4 nodes');
  await expect(page).not.toHaveURL(/replay/);
});

test(
  'the moment is in the URL, for 24 hours and for 90 days, and Escape leaves it',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await page.goto(`${server.url}/?status=online&replay=24h`);
    await expect(slider(page)).toBeFocused();
    // The URL follows each time the slider rests.
    for (const key of ['Home', 'ArrowRight']) {
      const before = page.url();
      await page.keyboard.press(key);
      await expect(page).not.toHaveURL(before);
      await expect(page).toHaveURL(/\?status=online&replay=24h,\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
    }
    await page.reload();
    await shows(page, '2 nodes');
    await expect(bar(page)).toContainText('without your filters');
    await page.getByRole('button', { name: '90 d' }).click();
    await expect(slider(page)).toHaveAttribute('aria-valuetext', /\(UTC\), 4 nodes at 1 place$/);
    await expect(page).toHaveURL(/replay=90d$/);
    await slider(page).focus();
    await page.keyboard.press('Escape');
    await expect(page).toHaveURL(`${server.url}/?status=online`);
    await expect(page.getByRole('heading', { name: /of 4 nodes$/ })).toBeVisible();
  },
);

test(
  'where motion is welcome it plays by itself, to the end',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.goto(`${server.url}/?replay=24h`);
    // The moment is in the URL once the slider rests: here nobody has moved it.
    await expect(page).toHaveURL(/replay=24h,\d{4}/);
    await expect(slider(page)).toHaveAttribute('aria-valuetext', /4 nodes at 1 place$/);
    await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible();
  },
);

test.describe('without a connection', () => {
  test.use({ allowed: [/net::ERR_|Failed to fetch/] });
  test(
    'it says so, and goes on once it is back',
    { tag: [DESKTOP, MORE] },
    async ({ page, server }) => {
      await page.goto(`${server.url}/?replay=24h`);
      // The live map shows as many.
      await expect(slider(page)).toHaveAttribute('aria-valuetext', /4 nodes at 1 place$/);
      const api = '**/api/mesh/history/places**';
      await page.route(api, (route) => route.abort());
      await page.getByRole('button', { name: '90 d' }).click();
      await expect(bar(page).getByRole('alert')).toContainText('couldn’t be loaded');
      await page.unroute(api);
      await bar(page).getByRole('button', { name: 'Try again' }).click();
      await expect(slider(page)).toHaveAttribute('aria-valuetext', /\(UTC\), 4 nodes at 1 place$/);
    },
  );
});

base(
  'without any history the bar is no higher than what it says',
  { tag: [MORE] },
  async ({ page, server }) => {
    await page.goto(`${server.url}/?replay=24h`);
    await expect(bar(page)).toContainText('No history yet');
    const box = await bar(page).boundingBox();
    // Two rows of buttons of a phone.
    expect(box?.height).toBeLessThan(130);
    await expect(slider(page)).toHaveCount(0);
  },
);
