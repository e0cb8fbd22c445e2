import type { Page } from 'playwright/test';
import { cityNodes, ping, pingAll } from './support/seed.ts';
import { DESKTOP, expect, expectTakenOver, MORE, openLive, test, theMap } from './support/test.ts';

const SAN_FRANCISCO = { lat: 37.5, lng: -122.5 };
const TOKYO = { lat: 35.5, lng: 139.5 };
const AUCKLAND = { lat: -37, lng: 175 };
/** A little longer than a page without a stream waits before it asks again. */
const POLLED_MS = 10_500;

const card = (page: Page, name: string | RegExp) => page.getByRole('complementary', { name });
const fold = (page: Page) => page.getByRole('button', { name: 'Collapse' });
const unfold = (page: Page) => page.getByRole('button', { name: 'Expand' });

/** Where the first view has the markers, px from the top left of the map. */
const FIRST_VIEW = {
  // Below the switch of the views.
  desktop: { sf: [941, 92], tokyo: [179, 111], auckland: [455, 716] },
  // And above the sheet.
  phone: { sf: [350, 228], tokyo: [40, 236], auckland: [152, 482] },
} as const;
/** Fonts of another browser can make the panel a little higher (px). */
const HIGHER = 12;

/** The marker at a point of the map, or a little above or below: the pointer changes over it. */
async function findMarker(page: Page, [x, y]: readonly [number, number]) {
  const map = await theMap(page).boundingBox();
  for (let step = 0; map && step <= HIGHER; step++) {
    const at = y + (step % 2 ? -1 : 1) * step;
    await page.mouse.move(map.x + x, map.y + at);
    // The page hears of a move before its next frame, though not always at once.
    const cursor = await theMap(page).evaluate(async (element) => {
      await new Promise(requestAnimationFrame);
      return element.style.cursor;
    });
    if (cursor === 'pointer') return { x, y: at };
  }
  throw new Error(`No marker is at ${x}, ${y}.`);
}

test('the first view shows every node beside the panel, or above it on a phone', async ({
  page,
  server,
}, info) => {
  const nodes = { sf: SAN_FRANCISCO, tokyo: TOKYO, auckland: AUCKLAND };
  for (const [label, at] of Object.entries(nodes))
    await ping(server.url, { nodeId: `node_${label}`, label, ...at });
  await openLive(page, `${server.url}/?view=map`);
  await expect(theMap(page)).toHaveAccessibleName(/^(Map|Globe): 3 nodes/);
  const places = FIRST_VIEW[info.project.use.isMobile ? 'phone' : 'desktop'];
  for (const [label, place] of Object.entries(places)) {
    // While a phone's sheet sinks the map still shows all nodes above it.
    await expect(async () => {
      await theMap(page).click({ position: await findMarker(page, place) });
      await expect(card(page, label)).toBeVisible({ timeout: 1000 });
    }).toPass();
    await card(page, label).getByRole('button', { name: 'Close' }).click();
    await expect(card(page, label)).toBeHidden();
  }
});

test(
  'where the visitor has moved the map is in the URL, and is there again after a reload and going back',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await pingAll(server, cityNodes(60));
    await ping(server.url, { nodeId: 'node_sf', label: 'garage', ...SAN_FRANCISCO });
    await openLive(page, server.url);
    await expect(theMap(page)).toHaveAccessibleName(/^Map: 61 nodes/);
    expect(new URL(page.url()).search).toBe('');
    await theMap(page).focus();
    // The URL follows each time the map rests.
    for (const key of ['+', '+', 'Shift+ArrowLeft']) {
      const before = page.url();
      await page.keyboard.press(key);
      await expect(page).not.toHaveURL(before);
      await expect(page).toHaveURL(/[?&]map=-?[\d.]+,-?[\d.]+,[\d.]+$/);
    }
    const moved = page.url();

    // Another selection moves the map; going back is going back to this view.
    await page.getByRole('link', { name: 'garage' }).click();
    await expect(page.getByRole('heading', { name: 'garage' })).toBeFocused();
    await expect(page).not.toHaveURL(/map=/);
    await page.goBack();
    await expect(page).toHaveURL(moved);
    await page.reload();
    await expect(theMap(page)).toHaveAccessibleName(/^Map: 61 nodes/);
    await expect(page).toHaveURL(moved);

    const { lat, lng } = SAN_FRANCISCO;
    await openLive(page, `${server.url}/?map=${lat},${lng},6`);
    await expect(theMap(page)).toHaveAccessibleName(/^Map: 61 nodes/);
    await theMap(page).click();
    await expect(card(page, 'garage')).toBeVisible();
  },
);

test(
  'the rail folds to the signs and their counts by keyboard, and stays folded after a reload',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await pingAll(server, cityNodes(20));
    await openLive(page, server.url);
    const count = page.getByRole('heading', { name: '20 nodes' });
    const { width = 0 } = (await theMap(page).boundingBox()) ?? {};
    await fold(page).focus();
    await page.keyboard.press('Enter');
    await expect(count).toBeHidden();
    await expect(page).toHaveURL(/panel=folded/);
    expect((await theMap(page).boundingBox())?.width).toBe(width + 320 - 48);
    await page.reload();
    await expectTakenOver(page);
    await expect(count).toBeHidden();
    await page.getByRole('list', { name: 'Status' }).getByRole('link', { name: 'idle' }).click();
    await expect(page).toHaveURL(/status=idle/);
    await unfold(page).click();
    await expect(page.getByRole('heading', { name: / of 20 nodes$/ })).toBeVisible();
    await expect(page).not.toHaveURL(/panel=/);
  },
);

test(
  'of many nodes at one place the card lists the first, and more on request; filters count there too',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    for (let n = 0; n < 60; n++)
      await ping(server.url, {
        nodeId: `node_${n}`,
        ...TOKYO,
        status: n < 59 ? 'online' : 'idle',
      });
    await openLive(page, `${server.url}/?at=${TOKYO.lat},${TOKYO.lng}`);
    const here = card(page, '60 nodes here');
    /** How many lists of nodes are asked for at the same time. */
    let [asking, most] = [0, 0];
    const isList = (url: string) => url.split('mesh.peersAt').length - 1;
    page.on('request', (request) => (most = Math.max(most, (asking += isList(request.url())))));
    page.on('requestfinished', (request) => (asking -= isList(request.url())));
    await expect(here.getByRole('listitem')).toHaveCount(50);
    await here.getByRole('button', { name: 'Show more (10)' }).click();
    await expect(here.getByRole('listitem')).toHaveCount(60);
    // The first page stays up to date, and each refresh asks for one page only.
    for (const node of ['node_0', 'node_58']) {
      await ping(server.url, { nodeId: node, ...TOKYO, status: 'syncing' });
      await expect(here.getByRole('listitem').filter({ hasText: node })).toContainText('syncing');
    }
    expect(most).toBe(1);
    await openLive(page, `${server.url}/?at=${TOKYO.lat},${TOKYO.lng}&status=idle`);
    await expect(card(page, 'node_59')).toContainText('idle');
    await expect(theMap(page)).toHaveAccessibleName(/^Map: 1 node /);
  },
);

test(
  'a network of thousands asks for its places once, and for no list of nodes',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    await page.clock.install();
    await pingAll(server, cityNodes(3000));
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/')) asked.push(pathname);
    });
    await openLive(page, server.url);
    await expect(theMap(page)).toHaveAccessibleName(/^Map: 3,000 nodes/);
    // A live page is told; it doesn't ask again after a while.
    await page.clock.fastForward(POLLED_MS);
    await ping(server.url, { nodeId: 'node_new', ...TOKYO });
    await expect(theMap(page)).toHaveAccessibleName(/^Map: 3,001 nodes/);
    expect(asked).toEqual(['/api/trpc/mesh.places', '/api/trpc/mesh.placeChanges']);
  },
);

test(
  'Genesis without a configured location is not on the map',
  { tag: MORE },
  async ({ page, server }) => {
    await openLive(page, `${server.url}/?node=genesis`);
    await expect(theMap(page)).toHaveAccessibleName(/^(Map|Globe): 0 nodes shown/);
    await expect(card(page, 'Genesis')).toBeVisible();
    await expect(card(page, 'Genesis').getByText('Location')).toBeHidden();
  },
);

test.describe('where its location is configured', () => {
  test.use({ env: { GENESIS_LAT: '48', GENESIS_LNG: '11.5' } });
  test('Genesis is on the map', { tag: MORE }, async ({ page, server }) => {
    await openLive(page, server.url);
    await expect(theMap(page)).toHaveAccessibleName(/^(Map|Globe): 0 nodes and Genesis/);
    await page.goto(`${server.url}/?node=genesis`);
    await expect(card(page, 'Genesis')).toContainText('48.0° N, 11.5° E');
  });
});
