import { ping } from './support/seed.ts';
import { test as standing } from './support/fake-clock.ts';
import { DESKTOP, expect, MORE, openLive, test, theMap } from './support/test.ts';

const MUNICH = { lat: 48, lng: 11.5, region: 'DE' };
/** South of Munich. */
const NIGER = { lat: 14.5, lng: 11.5, region: 'NE' };
const DENVER = { lat: 39.5, lng: -105, region: 'US' };

standing(
  'the legend is the filter: each entry counts its nodes and toggles them',
  async ({ page, server }, info) => {
    await ping(server.url, { nodeId: 'node_a', ...MUNICH, class: 'L' });
    await ping(server.url, { nodeId: 'node_b', ...MUNICH, status: 'idle' });
    await ping(server.url, { nodeId: 'node_c', ...DENVER, status: 'idle', class: 'L' });
    await openLive(page, server.url);
    await expect(theMap(page)).toHaveAccessibleName(/^(Map|Globe): 3 nodes/);
    const status = page.getByRole('list', { name: 'Status', exact: true });
    const classes = page.getByRole('list', { name: 'Class', exact: true });
    if (info.project.use.isMobile) await page.getByRole('button', { name: 'Show more' }).click();

    await status.getByRole('link', { name: /^idle .* 2$/ }).click();
    await expect(theMap(page)).toHaveAccessibleName(/^(Map|Globe): 2 nodes/);
    await classes.getByRole('link', { name: /^class L 1$/ }).click();
    await expect(theMap(page)).toHaveAccessibleName(/^(Map|Globe): 1 node /);
    await expect(page).toHaveURL(/status=idle&class=L/);
    await expect(status.getByRole('link', { name: /^online .* 1$/ })).toBeVisible();

    await status.getByRole('link', { name: /^idle/ }).click();
    await expect(page).not.toHaveURL(/status/);
    await expect(status.getByRole('link', { name: /^idle/ })).not.toHaveAttribute('aria-current');
    await classes.getByRole('link', { name: /^class L/ }).click();
    await expect(theMap(page)).toHaveAccessibleName(/^(Map|Globe): 3 nodes/);
    await expect(page).not.toHaveURL(/status|class/);
  },
);

standing(
  'a marker says what it stands for, to the pointer and to the keyboard, which opens it',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_a', label: 'garage', ...MUNICH });
    await ping(server.url, { nodeId: 'node_b', label: 'attic', ...MUNICH, status: 'idle' });
    await ping(server.url, { nodeId: 'node_c', label: 'barn', ...DENVER });
    await ping(server.url, { nodeId: 'node_d', label: 'cellar', ...NIGER });
    await openLive(page, `${server.url}/?map=${MUNICH.lat},-47,3`);
    await expect(theMap(page)).toHaveAccessibleName(/^Map: 4 nodes/);
    // The map is one stop: the arrow keys go from marker to marker.
    await theMap(page).focus();
    const tooltip = page.getByRole('tooltip');
    await page.keyboard.press('ArrowLeft');
    await expect(tooltip).toContainText(/^barnclass S, United Statesonline, last heartbeat /);
    await expect(
      theMap(page).getByText(/^barn, class S, United States: online, last heartbeat (now|.* ago)$/),
    ).toHaveAttribute('aria-live', 'polite');
    await page.keyboard.press('ArrowRight');
    await expect(tooltip).toContainText('2 nodes');
    await expect(tooltip).toContainText('Germany');
    await expect(tooltip).toContainText('1 online');
    await expect(tooltip).toContainText('1 idle');
    await expect(theMap(page)).toBeFocused();
    await expect(
      theMap(page).getByText('2 nodes, Germany: 1 online, 1 idle', { exact: true }),
    ).toHaveAttribute('aria-live', 'polite');
    await page.keyboard.press('ArrowDown');
    await expect(tooltip).toContainText('Niger');
    await page.keyboard.press('ArrowUp');
    await expect(tooltip).toContainText('2 nodes');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: '2 nodes here' })).toBeFocused();
    await expect(tooltip).toBeHidden();
    await page.keyboard.press('Escape');

    await page.goto(`${server.url}/?map=${DENVER.lat},${DENVER.lng},5`);
    await expect(theMap(page)).toHaveAccessibleName(/^Map: 4 nodes/);
    await expect(async () => {
      await page.mouse.move(5, 5);
      await theMap(page).hover();
      await expect(tooltip).toContainText(/^barn.*United States.*last heartbeat/, {
        timeout: 1000,
      });
    }).toPass();
    await page.mouse.move(5, 5);
    await expect(tooltip).toBeHidden();
  },
);

test(
  'the world has coarse land and borders; names, waters and a scale are there when zoomed in, and none is loaded before',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_a', ...MUNICH });
    const loaded = new Set<string>();
    page.on('response', (response) => {
      const [, name] =
        /assets\/((?:far-)?borders|names|water|land-\d+m)-.*\.json$/.exec(response.url()) ?? [];
      if (name && response.ok()) loaded.add(name);
    });
    await openLive(page, `${server.url}/?map=20,0,2`);
    await expect(theMap(page)).toHaveAccessibleName(/^Map: 1 node /);
    await expect.poll(() => [...loaded]).toEqual(['land-110m', 'far-borders']);
    const scale = page.getByText(/^\d+ km$/);
    await expect(scale).toBeHidden();

    await page.goto(`${server.url}/?map=${MUNICH.lat},${MUNICH.lng},6`);
    await expect(scale).toBeVisible();
    await expect
      .poll(() => [...loaded].sort())
      .toEqual(['borders', 'far-borders', 'land-110m', 'land-50m', 'names', 'water']);
  },
);

test('a node that joins is named beside the map, without any motion where that is reduced', async ({
  page,
  server,
}, info) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await ping(server.url, { nodeId: 'node_a', label: 'attic', ...MUNICH });
  await openLive(page, server.url);
  await expect(theMap(page)).toHaveAccessibleName(/^(Map|Globe): 1 node /);
  if (info.project.use.isMobile) await page.getByRole('button', { name: 'Show more' }).click();
  const joined = page.getByRole('region', { name: 'Newest nodes' });
  await expect(joined.getByRole('listitem')).toHaveText([/^attic.*Germany/]);
  await ping(server.url, { nodeId: 'node_b', label: 'garage', ...DENVER });
  await expect(joined.getByRole('listitem')).toHaveText([/^garage.*United States/, /^attic/]);
  await expect(page.locator('[data-pulse]')).toHaveCount(0);
  await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0);
  await joined.getByRole('link', { name: 'garage' }).click();
  await expect(page.getByRole('complementary', { name: 'garage' })).toBeVisible();
});

test('the switch of the views stays at its corner, and an ID in the list stays on its line', async ({
  page,
  server,
}) => {
  for (const n of [1, 2, 3])
    await ping(server.url, {
      nodeId: `node_${n}-${'long-id-'.repeat(4)}z`,
      label: 'attic',
      ...MUNICH,
    });
  await openLive(page, `${server.url}/?view=map`);
  const views = page.getByRole('navigation', { name: 'View' });
  const corner = await views.boundingBox();
  for (const view of ['Globe', 'List', 'Map', 'List']) {
    await views.getByRole('link', { name: view }).click();
    await expect(views.getByRole('link', { name: view })).toHaveAttribute('aria-current', 'page');
    expect(await views.boundingBox(), view).toEqual(corner);
  }
  for (const width of [320, 390, 1024, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const ids = page.locator('main code').filter({ hasText: 'long-id', visible: true });
    await expect(ids).not.toHaveCount(0);
    const lines = await ids.evaluateAll((all) =>
      all.map((id) => {
        const range = document.createRange();
        range.selectNodeContents(id);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      }),
    );
    expect(new Set(lines), `lines of an ID at ${width} px`).toEqual(new Set([1]));
  }
});

test(
  'at 320 px the time of a page that isn’t live yet ends beside the menu',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    // Its live list never arrives.
    await page.route(/\/live\.client-[^/]*\.js$/, () => undefined);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(server.url);
    const time = page.getByRole('status').locator('time');
    await expect(time).toHaveText(/\d\d:\d\d:\d\d \S+/);
    const [end, menu] = [
      await time.boundingBox(),
      await page.getByRole('button', { name: 'Menu' }).boundingBox(),
    ];
    if (!end || !menu) throw new Error('The header is not shown.');
    expect(end.x + end.width).toBeLessThanOrEqual(menu.x);
  },
);

test(
  'in high contrast the nodes on the map have their colours',
  { tag: [DESKTOP, MORE] },
  async ({ page, server, allowed }) => {
    allowed.push(/willReadFrequently/);
    await ping(server.url, { nodeId: 'node_a', lat: 48, lng: 11.5 });
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'light' });
    await openLive(page, `${server.url}/?map=48,11.5,5`);
    await expect(theMap(page)).toHaveAccessibleName(/^Map: 1 node /);
    const hasGreen = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLCanvasElement>('main canvas')].some((canvas) => {
          const { width, height } = canvas;
          const context = width && height ? canvas.getContext('2d') : null;
          const pixels = context?.getImageData(0, 0, width, height).data ?? [];
          for (let at = 0; at < pixels.length; at += 4)
            if ((pixels[at + 1] as number) > (pixels[at] as number) + 50) return true;
          return false;
        }),
      );
    await expect.poll(hasGreen).toBe(true);
  },
);
