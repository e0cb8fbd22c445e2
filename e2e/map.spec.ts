import { cityNodes, ping, pingAll } from './support/seed.ts';
import { CONNECTION_LOST, expect, openLive, shownCounts, test, theMap } from './support/test.ts';

test('an empty network shows the map and the command for its first node, until there is one', async ({
  page,
  server,
}) => {
  await openLive(page, server.url);
  const command = page.getByLabel('Command for the first heartbeat');
  await expect(command).toBeVisible();
  await expect(theMap(page)).toHaveAccessibleName(/^Map: 0 nodes and Genesis/);
  expect(await shownCounts(page)).toEqual({ online: 0, syncing: 0, idle: 0, offline: 0, nodes: 0 });
  await ping(server.url, { nodeId: 'node_first', lat: 1, lng: 1 });
  await expect(page.getByRole('heading', { name: '1 node' })).toBeVisible();
  await expect(command).toBeHidden();
});

test('Genesis shows the health that the service checked', async ({ page, server }) => {
  await openLive(page, server.url);
  await expect(page.getByText('not checked')).toBeVisible();
});

test('map and list are reached by the keyboard alone', async ({ page, server }) => {
  await pingAll(server.url, cityNodes(120));
  await openLive(page, server.url);
  await page.getByRole('link', { name: 'List' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('1–100 of 120').first()).toBeVisible();
  await expect(page).toHaveURL(/view=list/);
  await page.getByRole('link', { name: 'Next' }).first().focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('101–120 of 120').first()).toBeVisible();
  await page.getByRole('button', { name: /^Show/ }).first().focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Close' })).toBeFocused();
  await page.keyboard.press('Enter');
  await theMap(page).focus();
  const before = await theMap(page).screenshot();
  await page.keyboard.press('ArrowLeft');
  await expect(async () => {
    expect((await theMap(page).screenshot()).equals(before)).toBe(false);
  }).toPass();
});

test('the map takes the colours of the system as they change', async ({ page, server }) => {
  await pingAll(server.url, cityNodes(30));
  await page.emulateMedia({ colorScheme: 'light' });
  await openLive(page, server.url);
  const light = await theMap(page).screenshot();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(async () => {
    expect((await theMap(page).screenshot()).equals(light)).toBe(false);
  }).toPass();
});

test('nothing is cut off at a width of 320 px', async ({ page, server, allowed }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await ping(server.url, {
    nodeId: 'a'.repeat(64),
    label: 'x'.repeat(64),
    lat: -45.5,
    lng: -170.5,
    region: 'REGION_OF_16_CHR',
  });
  await pingAll(server.url, cityNodes(120));
  for (const path of ['/', '/?view=list']) {
    await openLive(page, server.url + path);
    await expect(page.getByRole('heading', { name: '121 nodes' })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  }
  allowed.push(CONNECTION_LOST);
  await server.kill();
  await expect(page.getByRole('status')).toContainText('Reconnecting');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});

test('10,000 peers load, are listed whole, and the map pans', async ({ page, server }, info) => {
  await pingAll(server.url, cityNodes(10_000));
  await openLive(page, server.url);
  await expect(theMap(page)).toHaveAccessibleName(/^Map: 10,000 nodes/);

  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(window, { tasks });
    new PerformanceObserver((list) =>
      list.getEntries().forEach(({ duration }) => tasks.push(Math.round(duration))),
    ).observe({ type: 'longtask' });
  });
  const box = await theMap(page).boundingBox();
  if (!box) throw new Error('The map has no place.');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 1; step <= 60; step++) await page.mouse.move(x - step * 6, y + step * 2);
  await page.mouse.up();
  // A number of this machine at this moment: told, not judged.
  const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks);
  console.log(
    `${info.project.name}: tasks over 50 ms while panning 10,000 peers: [${tasks.join(', ')}] ms`,
  );

  await page.goto(`${server.url}/?view=list&page=100`);
  await expect(page.getByText('9,901–10,000 of 10,000').first()).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(101);
});
