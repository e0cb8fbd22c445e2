import type { Page } from 'playwright/test';
import { announce, ping } from './support/seed.ts';
import { DESKTOP, expect, MORE, open, openLive, test, theMap } from './support/test.ts';

test.use({ env: { COMPUTE_LISTING: 'announced' } });

/** How long a page takes to load, ms. */
const LOAD_MS = 1000;
/** A cheap phone's processor is so many times slower. */
const SLOWER = 6;

/**
 * Clicks a link on a slow device, so many milliseconds after a key: by then the URL of what the key has changed
 * isn't set yet.
 * @param act presses the key
 */
async function expectFollowed(page: Page, afterMs: number, act: () => Promise<void>) {
  const status = page.locator('a[href="/status"]').first();
  await status.evaluate((link: HTMLElement, ms) => {
    const click = () => setTimeout(() => link.click(), ms);
    addEventListener('keydown', click, { capture: true, once: true });
  }, afterMs);
  const device = await page.context().newCDPSession(page);
  await device.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await act();
  await expect(page).toHaveURL(/\/status$/);
  await device.send('Emulation.setCPUThrottlingRate', { rate: 1 });
}

test.describe(
  'a link that is clicked before the URL has followed is followed',
  { tag: [DESKTOP, MORE] },
  () => {
    test.beforeEach(({ page }) =>
      page.route('**/*.data*', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, LOAD_MS));
        // The router has given up what nobody waits for.
        await route.continue().catch(() => undefined);
      }),
    );

    test('after the map has moved', async ({ page, server }) => {
      await ping(server.url, { nodeId: 'node_a', lat: 1, lng: 2 });
      for (const afterMs of [100, 300]) {
        await openLive(page, server.url);
        await theMap(page).focus();
        await expectFollowed(page, afterMs, () => page.keyboard.press('+'));
      }
    });

    test('after something was typed into the directory’s search', async ({ page, server }) => {
      const computes = [{ name: 'fire', replicas: 1, freeSlots: 1 }];
      await announce(server.url, { nodeId: 'node_a', computes });
      for (const afterMs of [50, 200]) {
        await openLive(page, `${server.url}/computes`);
        await page.getByRole('main').getByRole('searchbox').focus();
        await expectFollowed(page, afterMs, () => page.keyboard.press('f'));
      }
    });

    test('after something was typed into the wizard', async ({ page, server }) => {
      for (const afterMs of [140, 160, 180, 200]) {
        // What can’t be a name is checked once its field is left.
        await open(page, `${server.url}/register?name=hed`);
        await page.getByRole('textbox', { name: 'Name' }).focus();
        await expectFollowed(page, afterMs, () => page.keyboard.press('s'));
      }
    });
  },
);

test('what is chosen while the map’s move waits takes the moved view along', async ({
  page,
  server,
}) => {
  await ping(server.url, { nodeId: 'node_a', lat: 1, lng: 2 });
  await openLive(page, server.url);
  // Right after the drag: by then its view isn't in the URL yet.
  await page.getByRole('button', { name: 'Collapse' }).evaluate((fold: HTMLElement) => {
    const write = history.replaceState.bind(history);
    history.replaceState = (data, unused, url) => {
      document.documentElement.dataset.written ??= String(url);
      write(data, unused, url);
    };
    addEventListener('mouseup', () => setTimeout(() => fold.click()), {
      capture: true,
      once: true,
    });
  });
  const box = await theMap(page).boundingBox();
  if (!box) throw new Error('The map has no size.');
  const [x, y] = [box.x + box.width * 0.7, box.y + box.height * 0.7];
  await page.mouse.move(x, y);
  await page.mouse.down();
  // A drag in one step doesn't glide on.
  await page.mouse.move(x - 120, y);
  await page.mouse.up();
  const root = page.locator('html');
  await expect(root).toHaveAttribute('data-written', /[?&]panel=folded/);
  await expect(root).toHaveAttribute('data-written', /[?&]map=/);
});
