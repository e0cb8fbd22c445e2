import { ping } from './support/seed.ts';
import { DESKTOP, expect, test } from './support/test.ts';

test(
  'the page of an unknown node shows its first heartbeat while it is open, and counts down',
  { tag: DESKTOP },
  async ({ page, server, allowed }) => {
    allowed.push(/status of 404/);
    await page.goto(`${server.url}/nodes/node_new`);
    await expect(page.getByText('We haven’t heard from this node yet.')).toBeVisible();
    await expect(page.getByLabel('Command for the first heartbeat')).toContainText('"node_new"');
    await ping(server.url, { nodeId: 'node_new', lat: 64, lng: -22, status: 'syncing' });

    const node = page.getByRole('region', { name: 'Node' });
    await expect(node).toContainText('syncing');
    const left = async () =>
      Number(/offline in (\d+) s/.exec((await node.textContent()) ?? '')?.[1] ?? NaN);
    let first = NaN;
    await expect.poll(async () => (first = await left())).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(60);
    await expect.poll(left).toBeLessThan(first);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
      .toBe(0);
    await expect(page.getByRole('link', { name: 'Show on map' })).toHaveAttribute(
      'href',
      '/?node=node_new',
    );
  },
);

test(
  'times are in the time zone of the visitor, and in UTC on hover',
  { tag: DESKTOP },
  async ({ page, server }) => {
    const { peer } = await ping(server.url, { nodeId: 'node_a', lat: 1, lng: 1 });
    await page.goto(`${server.url}/nodes/node_a`);
    const { joinedAt } = peer;
    const utc = `${joinedAt.slice(0, 10)} ${joinedAt.slice(11, 19)} UTC`;
    // The browsers of these tests are in Auckland.
    const local = await page.evaluate(
      (iso) => new Date(iso).toLocaleString('sv-SE', { timeZone: 'Pacific/Auckland' }),
      joinedAt,
    );
    const times = page
      .getByRole('region', { name: 'Node' })
      .locator(`time[datetime="${joinedAt}"]`);
    const [exactTime, age] = [times.nth(0), times.nth(1)];
    await expect(exactTime).toHaveText(new RegExp(`^${local} GMT\\+1[23]$`));
    await expect(exactTime).toHaveAttribute('title', utc);
    await expect(age).toHaveText(/^(now|\d+ (s|min) ago)$/);
    await expect(age).toHaveAttribute('title', new RegExp(`^${local} GMT\\+1[23] \\(${utc}\\)$`));
  },
);

test(
  'a heartbeat arrives by the stream of its node, and the page is not loaded again',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_live', lat: 52, lng: 13 });
    await page.clock.install();
    await page.goto(`${server.url}/nodes/node_live`);
    await expect(page.getByRole('banner').getByRole('status')).toHaveText('Live');
    const loads: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('.data')) loads.push(request.url());
    });
    await page.clock.runFor(30_000);
    await ping(server.url, { nodeId: 'node_live', lat: 52, lng: 13, status: 'idle' });
    await expect(page.getByRole('main').getByText('idle').first()).toBeVisible();
    expect(loads).toEqual([]);
  },
);

test(
  'a page in the background holds no connection, and is up to date again on return',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_hidden', lat: 52, lng: 13 });
    await page.goto(`${server.url}/nodes/node_hidden`);
    await expect(page.getByRole('banner').getByRole('status')).toHaveText('Live');
    const hide = (hidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    const ended = page.waitForEvent('requestfailed', (request) =>
      request.url().includes('mesh.nodeChanges'),
    );
    await hide(true);
    await ended;
    await ping(server.url, { nodeId: 'node_hidden', lat: 52, lng: 13, status: 'syncing' });
    await hide(false);
    await expect(page.getByRole('main').getByText('syncing').first()).toBeVisible();
  },
);
