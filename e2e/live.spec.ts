import type { Page } from 'playwright/test';
import { startNetworkProxy } from '../test/support/network-proxy.ts';
import { cityNodes, ping, pingAll } from './support/seed.ts';
import {
  CONNECTION_LOST,
  DESKTOP,
  expect,
  expectLive,
  MORE,
  openLive,
  shownCounts,
  test,
  theMap,
} from './support/test.ts';
import { test as standing } from './support/fake-clock.ts';
import { test as ownProcess } from './support/own-process.ts';

const MUNICH = { lat: 48.1, lng: 11.6 };

const row = (page: Page, name: RegExp) => page.getByRole('row', { name });

standing(
  'a node that pings appears on the open page without a reload: in the counts, on the map and in the list',
  async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_old', ...MUNICH });
    await openLive(page, server.url);
    await expect(theMap(page)).toHaveAccessibleName(/^(Map|Globe): 1 node shown/);

    for (const n of [2, 3, 4]) {
      await ping(server.url, { nodeId: `node_${n}`, label: 'garage', lat: 12, lng: n, class: 'L' });
      await expect(page.getByRole('heading', { name: `${n} nodes` })).toBeVisible();
      await expect(theMap(page)).toHaveAccessibleName(new RegExp(`^(Map|Globe): ${n} nodes`));
      await expect.poll(async () => (await shownCounts(page))['online']).toBe(n);
    }

    await page.getByRole('link', { name: 'List' }).click();
    await expect(row(page, /garage node_2/)).toContainText('online');
    await ping(server.url, { nodeId: 'node_listed', lat: 0, lng: 0 });
    await expect(row(page, /node_listed /)).toContainText('online');
  },
);

/** The middle of what the switch of the views and a phone's sheet leave of the map. */
async function middleOf(page: Page) {
  const sheet = page.locator('[data-stop]');
  await sheet.evaluate((element) => Promise.all(element.getAnimations().map((a) => a.finished)));
  const map = await theMap(page).boundingBox();
  const panel = await sheet.boundingBox();
  if (!map || !panel) throw new Error('The map is not shown.');
  const bottom = panel.width < map.width ? 0 : map.y + map.height - panel.y;
  return { x: map.width / 2, y: (52 + map.height - bottom) / 2 };
}

test('a node is shown from the list, and a click on the map opens its card', async ({
  page,
  server,
}) => {
  await ping(server.url, { nodeId: 'node_macmini', label: 'garage', ...MUNICH, region: 'EU' });
  await openLive(page, `${server.url}/?view=list`);
  await page.getByRole('link', { name: /^Show garage on the map/ }).click();
  const card = page.getByRole('complementary', { name: 'garage' });
  await expect(card.getByRole('heading')).toBeFocused();
  await expect(card).toContainText('node_macmini');
  await expect(page).toHaveURL(/node=node_macmini/);
  await expect(theMap(page)).toHaveAccessibleName(/^(Map|Globe): 1 node /);
  await page.keyboard.press('Escape');
  await expect(card).toBeHidden();
  await expect(theMap(page)).toBeFocused();

  // It is in the middle of what is free, once a phone's sheet has sunk.
  await expect(async () => {
    await theMap(page).click({ position: await middleOf(page) });
    await expect(card).toContainText('48.0° N, 11.5° E', { timeout: 1000 });
  }).toPass();
  await expect(card.getByRole('link', { name: 'View node' })).toHaveAttribute(
    'href',
    '/nodes/node_macmini',
  );
  await card.getByRole('button', { name: 'Close' }).click();
  await expect(card).toBeHidden();
  await page.goBack();
  await expect(card).toBeVisible();
});

test('nodes at one grid point are a cluster that opens into a list', async ({ page, server }) => {
  for (const name of ['one', 'two', 'three'])
    await ping(server.url, { nodeId: `node_${name}`, label: name, ...MUNICH });
  await openLive(page, `${server.url}/?node=node_two`);
  await expect(theMap(page)).toHaveAccessibleName(/^(Map|Globe): 3 nodes/);
  await page.getByRole('button', { name: 'Close' }).click();
  const card = page.getByRole('complementary', { name: '3 nodes here' });
  await expect(async () => {
    await theMap(page).click({ position: await middleOf(page) });
    await expect(page).toHaveURL(/at=48,11.5/, { timeout: 1000 });
  }).toPass();
  for (const name of ['one', 'three']) await expect(card.getByRole('link', { name })).toBeVisible();
  await card.getByRole('link', { name: 'two' }).click();
  await expect(page.getByRole('heading', { name: 'two' })).toBeFocused();
});

test(
  'a peer that reports itself offline is shown offline, and online again afterwards',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_a', ...MUNICH });
    await openLive(page, `${server.url}/?view=list`);
    for (const status of ['offline', 'syncing', 'idle', 'online'] as const) {
      await ping(server.url, { nodeId: 'node_a', ...MUNICH, status });
      await expect(row(page, /node_a/)).toContainText(status);
      // The list is asked for, and the counts are streamed: either may come first.
      await expect.poll(async () => (await shownCounts(page))[status]).toBe(1);
    }
  },
);

test(
  'the counts add up at every moment while nodes join and change',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    await pingAll(server, cityNodes(50));
    await openLive(page, server.url);
    const sums = await page
      .getByRole('region', { name: /^[\d,]+ nodes$/ })
      .evaluateHandle((overview) => {
        const wrong: string[] = [];
        const seen = { wrong, changes: 0 };
        new MutationObserver(() => {
          const sums = [
            ['Status', 'em'],
            ['Class', 'b'],
          ].map(([list, figure]) =>
            [...overview.querySelectorAll(`ul[aria-label=${list}] ${figure}`)].reduce(
              (sum, { textContent }) => sum + Number(textContent),
              0,
            ),
          );
          const total = parseInt(overview.querySelector('h2')?.textContent ?? '', 10);
          seen.changes++;
          if (sums.some((sum) => sum !== total)) wrong.push(overview.textContent ?? '');
        }).observe(overview, { subtree: true, childList: true, characterData: true });
        return seen;
      });
    for (let round = 1; round <= 4; round++) {
      await pingAll(server, cityNodes(50 + round * 25).reverse());
      await expect(page.getByRole('heading', { name: `${50 + round * 25} nodes` })).toBeVisible();
    }
    const seen = await sums.jsonValue();
    expect(seen.changes).toBeGreaterThan(3);
    expect(seen.wrong).toEqual([]);
  },
);

test(
  '"seen 4 s ago" stays true while the page is open',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    await page.clock.install();
    await ping(server.url, { nodeId: 'node_a', ...MUNICH });
    await openLive(page, `${server.url}/?view=list`);
    const seen = row(page, /node_a/)
      .locator('time')
      .last();
    const age = async () => Number(/^(\d+) s ago$/.exec(await seen.innerText())?.[1] ?? 0);
    // The page may have loaded slowly, so another heartbeat follows.
    await ping(server.url, { nodeId: 'node_a', ...MUNICH, status: 'idle' });
    await expect(row(page, /node_a/)).toContainText('idle');
    await expect(seen).toHaveText(/^(now|\d+ s ago)$/);
    // An answer that is still on its way sets the clock back: then the time is moved once more.
    await expect(async () => {
      const before = await age();
      await page.clock.fastForward(25_000);
      await expect.poll(age, { timeout: 1000 }).toBeGreaterThanOrEqual(before + 25);
    }).toPass();
  },
);

test(
  'a node that pings between the rendering of the page and the start of its stream appears',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_a', ...MUNICH });
    // The list arrives late, and is old by then.
    await page.route('**/api/trpc/mesh.places', async (route) => {
      const response = await route.fetch();
      await ping(server.url, { nodeId: 'node_between', lat: 1, lng: 1 });
      await route.fulfill({ response });
    });
    await page.goto(`${server.url}/?view=list`);
    await expect(row(page, /node_between/)).toBeVisible();
    await expectLive(page);
  },
);

standing(
  'a node goes offline on the open page 60 s after its last heartbeat',
  { tag: DESKTOP },
  async ({ page, server, clock }) => {
    await ping(server.url, { nodeId: 'node_a', ...MUNICH });
    await openLive(page, `${server.url}/?view=list`);
    await expect(row(page, /node_a/)).toContainText('online');
    clock.advance(61_000);
    await expect(row(page, /node_a/)).toContainText('offline');
    await expect(row(page, /node_a/)).toContainText('1 min ago');
    await expect.poll(async () => (await shownCounts(page))['offline']).toBe(1);
    await ping(server.url, { nodeId: 'node_a', ...MUNICH });
    await expect(row(page, /node_a/)).toContainText('online');
  },
);

for (const signal of ['SIGKILL', 'SIGTERM'] as const)
  ownProcess(
    `the page recovers automatically after a ${signal} of the server, with nothing missing`,
    { tag: [DESKTOP, MORE] },
    async ({ page, server, allowed }) => {
      allowed.push(CONNECTION_LOST);
      await ping(server.url, { nodeId: 'node_before', ...MUNICH });
      await openLive(page, `${server.url}/?view=list`);
      await server.kill(signal);
      await expect(page.getByRole('banner').getByRole('status')).toHaveText(
        /^Reconnecting, data from \d\d:\d\d:\d\d GMT\+1[23]$/,
      );
      await expect(row(page, /node_before/)).toBeVisible();

      await server.start();
      await ping(server.url, { nodeId: 'node_after', lat: 1, lng: 1 });
      await ping(server.url, { nodeId: 'node_before', ...MUNICH, label: 'renamed' });
      await expectLive(page);
      await expect(row(page, /node_after/)).toBeVisible();
      await expect(row(page, /node_before/)).toContainText('renamed');
      await ping(server.url, { nodeId: 'node_later', lat: 2, lng: 2 });
      await expect(row(page, /node_later/)).toBeVisible();
    },
  );

standing(
  'changes during a lost connection show once it is back',
  { tag: DESKTOP },
  async ({ page, server, allowed }) => {
    allowed.push(CONNECTION_LOST);
    const proxy = await startNetworkProxy(server.url);
    try {
      await ping(server.url, { nodeId: 'node_a', ...MUNICH });
      await ping(server.url, { nodeId: 'node_unchanged', ...MUNICH });
      await openLive(page, `${proxy.url}/?view=list`);
      await proxy.cut();
      await expect(page.getByRole('banner').getByRole('status')).toContainText('Reconnecting');
      await ping(server.url, { nodeId: 'node_b', lat: 1, lng: 1 });
      await ping(server.url, { nodeId: 'node_a', ...MUNICH, status: 'offline' });
      // Cut off, the page still goes from list to map and back.
      const view = page.getByRole('navigation', { name: 'View' });
      await view.getByRole('link', { name: 'Map' }).click();
      await expect(theMap(page)).toBeVisible();
      await view.getByRole('link', { name: 'List' }).click();
      await proxy.restore();
      await expectLive(page);
      await expect(row(page, /node_b/)).toBeVisible();
      await expect(row(page, /node_a/)).toContainText('offline');
      await expect(row(page, /node_unchanged/)).toContainText('online');
    } finally {
      await proxy.cut();
    }
  },
);

test(
  'without a stream the page polls every 10 s',
  { tag: [DESKTOP, MORE] },
  async ({ page, server, allowed }) => {
    allowed.push(CONNECTION_LOST);
    await page.clock.install();
    await page.route('**/api/trpc/mesh.placeChanges**', (route) =>
      route.fulfill({ status: 503, body: '' }),
    );
    await ping(server.url, { nodeId: 'node_a', ...MUNICH });
    await page.goto(`${server.url}/?view=list`);
    await expect(page.getByRole('banner').getByRole('status')).toContainText('Reconnecting');
    await page.clock.fastForward(10_500);
    await expect(page.getByRole('banner').getByRole('status')).toHaveText('Updated every 10 s');
    await ping(server.url, { nodeId: 'node_b', lat: 1, lng: 1 });
    await page.clock.fastForward(10_500);
    await expect(row(page, /node_b/)).toBeVisible();
    // And takes the stream as soon as there is one.
    await page.unroute('**/api/trpc/mesh.placeChanges**');
    await page.clock.fastForward(15_000);
    await expectLive(page);
  },
);
