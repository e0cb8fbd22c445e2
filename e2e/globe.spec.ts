import type { Page } from 'playwright/test';
import { cityNodes, ping, pingAll } from './support/seed.ts';
import { test } from './support/fake-clock.ts';
import { DESKTOP, expect, MORE, ONLY_PHONE, openLive, PHONE } from './support/test.ts';

const globe = (page: Page) => page.getByRole('application', { name: /^Globe: / });
const choose = (page: Page, view: string) =>
  page.getByRole('navigation', { name: 'View' }).getByRole('link', { name: view }).click();
const card = (page: Page) => page.getByRole('complementary');
/** Land and places as they are drawn. */
const drawing = (page: Page) =>
  globe(page)
    .locator('canvas')
    .nth(1)
    .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
/** The panel over the map. */
const panelOf = (page: Page) => page.locator('main > [data-stop]');
/** The rows of the stage where the ball begins and ends, and those that are free of the sheet. */
const ballOf = async (page: Page) => {
  const ball = await globe(page)
    .locator('canvas')
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const { width, height } = canvas;
      // The browser warns of reading a canvas itself more than once.
      const copy = new OffscreenCanvas(1, height).getContext('2d', { willReadFrequently: true });
      copy?.drawImage(canvas, -width / 2, 0);
      const column = copy?.getImageData(0, 0, 1, height).data ?? [];
      const rows = [...Array(height).keys()].filter((row) => column[4 * row + 3] === 255);
      const ratio = height / canvas.clientHeight;
      return { top: (rows[0] ?? 0) / ratio, bottom: ((rows.at(-1) ?? 0) + 1) / ratio };
    });
  const stage = await globe(page).boundingBox();
  const panel = await panelOf(page).boundingBox();
  if (!stage || !panel) throw new Error('The globe is not shown.');
  const covered = panel.width < stage.width ? 0 : stage.y + stage.height - panel.y;
  return { ...ball, free: stage.height - covered, width: stage.width };
};
/** Centre and zoom in the URL. */
const viewOf = (page: Page) =>
  (new URL(page.url()).searchParams.get('map') ?? '').split(',').map(Number);

test.describe('without motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test(
    'the globe can be chosen, turned, zoomed and asked with the keyboard alone',
    { tag: DESKTOP },
    async ({ page, server }) => {
      await ping(server.url, { nodeId: 'node_attic', label: 'attic', lat: 48, lng: 11.5 });
      await openLive(page, server.url);
      await page.getByRole('link', { name: 'Globe' }).focus();
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(`${server.url}/?view=globe`);
      await expect(globe(page)).toHaveAccessibleName(/^Globe: 1 node shown/);

      // It is turned to its only node, but not that far north.
      await globe(page).focus();
      await page.keyboard.press('Shift+ArrowUp');
      await expect.poll(() => viewOf(page)[0]).toBeGreaterThan(40);
      await expect.poll(() => viewOf(page)[1]).toBeCloseTo(11.5, 0);
      const [, , zoom = 0] = viewOf(page);
      await page.keyboard.press('+');
      await expect.poll(() => viewOf(page)[2]).toBeGreaterThan(zoom);
      // The node is south of the middle now.
      await page.keyboard.press('ArrowDown');
      await expect(page.getByRole('tooltip')).toContainText('1 node');

      await page.keyboard.press('Enter');
      await expect(card(page).getByRole('heading')).toBeFocused();
      await expect(card(page)).toContainText('attic');
      await expect(page).toHaveURL(/view=globe.*at=48,11.5/);
      await page.goBack();
      await expect(card(page)).toHaveCount(0);
      await expect(globe(page)).toBeVisible();
    },
  );

  for (const [width, height, share] of [
    [768, 1024, 0.46],
    [1023, 700, 0.46],
    [1280, 800, 0.476],
  ] as const)
    test(
      `the globe is in the middle of what is free at ${width} px, also above a sheet that has risen`,
      { tag: [DESKTOP, MORE] },
      async ({ page, server }) => {
        const expectCentred = () =>
          expect(async () => {
            const { top, bottom, free, width } = await ballOf(page);
            expect(Math.abs((top + bottom - free) / 2)).toBeLessThanOrEqual(4);
            expect((bottom - top) / 2 / Math.min(free, width)).toBeLessThanOrEqual(share + 0.005);
            expect((bottom - top) / 2 / Math.min(free, width)).toBeGreaterThan(0.4);
          }).toPass({ timeout: 5000 });
        await pingAll(server, cityNodes(20));
        await page.setViewportSize({ width, height });
        await openLive(page, `${server.url}/?view=globe`);
        await expect(globe(page)).toHaveAccessibleName(/20 nodes/);
        await expectCentred();
        if (width > 1023) return;
        await page.getByRole('button', { name: 'Show more' }).click();
        await expect(panelOf(page)).toHaveAttribute('data-stop', 'half');
        await expectCentred();
      },
    );

  test(
    'it is drawn by a thread of its own, and by the page where there can be none: the same picture',
    { tag: [DESKTOP, MORE] },
    async ({ page, server, allowed }) => {
      const workers = () => page.workers().map((worker) => worker.url());
      // Land, borders and fonts arrive one after the other.
      const settled = async () => {
        await expect(globe(page)).toHaveAccessibleName(/20 nodes/);
        await page.waitForLoadState('networkidle');
        await expect(globe(page).locator('canvas')).toHaveCount(4);
        return drawing(page);
      };
      await pingAll(server, cityNodes(20));
      await openLive(page, `${server.url}/?view=globe&map=40,10,2`);
      const picture = await settled();
      expect(workers()).toEqual([expect.stringMatching(/\/globe-worker/)]);
      // As in a browser that refuses it once it has the canvases.
      await page.route(/\/globe-worker/, (route) => route.abort());
      allowed.push(/globe-worker|ERR_FAILED/);
      await page.reload();
      await settled();
      expect(workers()).toEqual([]);
      await expect.poll(() => drawing(page)).toBe(picture);
    },
  );

  test('nothing moves by itself', { tag: [DESKTOP, MORE] }, async ({ page, server }) => {
    await pingAll(server, cityNodes(20));
    await openLive(page, `${server.url}/?view=globe`);
    await expect(globe(page)).toHaveAccessibleName(/20 nodes/);
    // Once the places are there; a globe that turns never stays the same.
    await expect(async () => {
      const before = await drawing(page);
      await page.waitForTimeout(200);
      expect(await drawing(page)).toBe(before);
    }).toPass();
  });
});

test('a place opens on a click or tap, with the nodes that the filter leaves', async ({
  page,
  server,
}) => {
  await ping(server.url, { nodeId: 'node_attic', label: 'attic', lat: 48, lng: 11.5 });
  await ping(server.url, { nodeId: 'node_idle', lat: 48, lng: 11.5, status: 'idle' });
  await page.goto(`${server.url}/?view=globe&map=48,11.5,4&status=online`);
  await expect(globe(page)).toHaveAccessibleName(/^Globe: 1 node shown/);
  await expect(async () => {
    const [all, panel] = [await globe(page).boundingBox(), await panelOf(page).boundingBox()];
    if (!all || !panel) throw new Error('The globe is not shown.');
    // The place is in the middle of what the panel leaves.
    const phone = panel.width > all.width / 2;
    const left = phone ? 0 : panel.x + panel.width - all.x;
    const bottom = phone ? all.y + all.height - panel.y : 0;
    const position = { x: (left + all.width) / 2, y: (all.height - bottom) / 2 };
    await globe(page).click({ position });
    await expect(card(page)).toContainText('attic', { timeout: 5000 });
  }).toPass();
  await expect(card(page)).not.toContainText('node_idle');
});

test(
  'it turns slowly until a visitor touches it; the back button returns to the flat map',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    await pingAll(server, cityNodes(20));
    await openLive(page, server.url);
    await choose(page, 'Globe');
    await expect(globe(page)).toHaveAccessibleName(/20 nodes/);
    const before = await drawing(page);
    await expect.poll(() => drawing(page)).not.toBe(before);
    await globe(page).press('Shift+ArrowLeft');
    // The URL follows once the globe rests, and would follow to the flat map otherwise.
    await expect(page).toHaveURL(/map=/);
    await expect(async () => {
      const touched = await drawing(page);
      await page.waitForTimeout(200);
      expect(await drawing(page)).toBe(touched);
    }).toPass();
    await page.goBack();
    await expect(page.getByRole('application', { name: /^Map: 20 nodes/ })).toBeVisible();
    await expect(page).toHaveURL(`${server.url}/`);
  },
);

test(
  'it stops for a button, for the keyboard and after a while',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    await pingAll(server, cityNodes(20));
    await page.clock.install();
    await openLive(page, `${server.url}/?view=globe`);
    await expect(globe(page)).toHaveAccessibleName(/20 nodes/);
    const turning = page.getByRole('button', { name: 'Stop turning' });
    const resting = page.getByRole('button', { name: 'Turn the globe' });
    await turning.click();
    await expect(resting).toBeVisible();
    await resting.click();
    await expect(turning).toBeVisible();
    await globe(page).focus();
    await expect(resting).toBeVisible();
    await resting.click();
    await expect(turning).toBeVisible();
    await page.clock.runFor(61_000);
    await expect(resting).toBeVisible();
  },
);

test('the choice is remembered for the plain page', { tag: DESKTOP }, async ({ page, server }) => {
  await openLive(page, server.url);
  await choose(page, 'Globe');
  await expect(globe(page)).toBeVisible();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(server.url);
  await expect(page).toHaveURL(`${server.url}/?view=globe`);
  await expect(globe(page)).toHaveAccessibleName(/^Globe: 0 nodes/);
  // The page that is here has the data of either view.
  expect(asked.filter((url) => /\.data|[?&]_data=/.test(url))).toEqual([]);
  // A link shows what its sender saw.
  await page.goto(`${server.url}/?status=online`);
  await expect(page.getByRole('application', { name: /^Map: / })).toBeVisible();
  await choose(page, 'Globe');
  await expect(globe(page)).toBeVisible();
  await choose(page, 'Map');
  await expect(page.getByRole('application', { name: /^Map: / })).toBeVisible();
  await page.goto(server.url);
  await expect(page.getByRole('application', { name: /^Map: / })).toBeVisible();
});

test(
  'on a phone the plain page is the globe, without the code of the map; a chosen view is in the URL',
  { tag: [PHONE, ONLY_PHONE] },
  async ({ page, server }) => {
    await pingAll(server, cityNodes(20));
    const scripts: string[] = [];
    page.on('request', (request) => scripts.push(new URL(request.url()).pathname));
    const loadsMap = () => scripts.some((path) => /\/mesh-map/.test(path));
    await openLive(page, server.url);
    await expect(globe(page)).toHaveAccessibleName(/20 nodes/);
    expect(loadsMap()).toBe(false);
    await expect(page).toHaveURL(`${server.url}/`);
    await expect(page.getByRole('navigation', { name: 'View' }).getByRole('link')).toHaveText([
      'Globe',
      'Map',
      'List',
    ]);
    await choose(page, 'Map');
    await expect(page).toHaveURL(`${server.url}/?view=map`);
    await expect(page.getByRole('application', { name: /^Map: 20 nodes/ })).toBeVisible();
    expect(loadsMap()).toBe(true);
    // A link shows what its sender saw.
    await page.goto(`${server.url}/?status=online`);
    await expect(page.getByRole('application', { name: /^Map: \d+ nodes/ })).toBeVisible();
  },
);
