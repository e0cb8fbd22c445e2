import { seedHistory } from '../scripts/demo/history.ts';
import { seededRandom } from '../scripts/fleet/random.ts';
import { test as standing } from './support/fake-clock.ts';
import { announce, ping } from './support/seed.ts';
import type { FakeClock } from '../test/support/fake-clock.ts';
import type { TestServer } from '../test/support/server.ts';
import { DESKTOP, expect, MORE, ONLY_PHONE, openLive, PHONE, test } from './support/test.ts';

const DAY_MS = 86_400_000;

test(
  'the page of an unknown node shows its first heartbeat while it is open, and counts down',
  { tag: DESKTOP },
  async ({ page, server, allowed }) => {
    allowed.push(/status of 404/);
    await page.goto(`${server.url}/nodes/node_new`);
    await expect(page.getByText('We haven’t heard from this node yet.')).toBeVisible();
    await expect(page.getByLabel('Command for the first heartbeat')).toContainText('"node_new"');
    await ping(server.url, { nodeId: 'node_new', lat: 64, lng: -22, status: 'syncing' });

    await expect(page.getByRole('heading', { name: 'Syncing' })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Next steps' })).toContainText('First heartbeat');
    const left = async () =>
      Number(
        /offline in (\d+) s/.exec((await page.getByRole('main').textContent()) ?? '')?.[1] ?? NaN,
      );
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
      .getByRole('region', { name: 'Identity' })
      .locator(`time[datetime="${joinedAt}"]`);
    const [exactTime, age] = [times.nth(0), times.nth(1)];
    const [year, , date] = local.slice(0, 10).split('-').map(Number);
    await expect(exactTime).toHaveText(new RegExp(`^${date} \\w{3} ${year}$`));
    await expect(exactTime).toHaveAttribute(
      'title',
      new RegExp(`^${local} GMT\\+1[23] \\(${utc}\\)$`),
    );
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
    await expect(page.getByRole('heading', { name: 'Idle' })).toBeVisible();
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
    await expect(page.getByRole('heading', { name: 'Syncing' })).toBeVisible();
  },
);

/** A node with 100 days of heartbeats, and what is known of its outages. */
async function pastOf(server: TestServer, clock: FakeClock, nodeId: string) {
  const node = { nodeId, lat: 52, lng: 13 };
  clock.advance(-100 * DAY_MS);
  await ping(server.url, node);
  clock.advance(100 * DAY_MS);
  const past = { ...node, region: 'EU', joinedAt: 0 };
  await seedHistory(server, [past], clock.now, seededRandom(5, 'history'));
  await ping(server.url, node);
  const answer = await fetch(`${server.url}/api/mesh/history?node=${nodeId}&days=90`);
  return (await answer.json()) as { outages: { from: string; to: string | null }[] };
}

standing(
  'each day of the strip says by keyboard how long the node was offline, and all outages can be listed',
  { tag: PHONE },
  async ({ page, server, clock }) => {
    const { outages } = await pastOf(server, clock, 'node_out');
    const [newest] = outages;
    if (!newest) throw new Error('the history has no outage');
    expect(outages.length).toBeGreaterThan(10);

    await page.goto(`${server.url}/nodes/node_out`);
    const slider = page.getByRole('slider', { name: /^Day/ });
    await slider.focus();
    await page.keyboard.press('End');
    await expect(slider).toHaveAttribute('aria-valuenow', '89');
    const today = Math.floor(clock.now / DAY_MS);
    const ago = today - Math.floor(Date.parse(newest.from) / DAY_MS);
    for (let day = 0; day < ago; day++) await page.keyboard.press('ArrowLeft');
    await expect(slider).toHaveAttribute('aria-valuenow', String(89 - ago));
    const said = (await slider.getAttribute('aria-valuetext')) ?? '';
    expect(said).toMatch(/^\d+ \w{3}: offline \d+ (min|h)/);
    const uptime = page.getByRole('region', { name: 'Uptime, 90 days' });
    await expect(uptime).toContainText(said.replace(/^.*: /, ''));
    await page.keyboard.press('Escape');
    await expect(uptime).toContainText(`${outages.length} outages`);

    const list = page.getByRole('region', { name: 'Outages' });
    await expect(list.getByRole('listitem')).toHaveCount(10);
    await list.getByRole('link', { name: `All ${outages.length} outages` }).click();
    await expect(list.getByRole('listitem')).toHaveCount(outages.length);
    await expect(page).toHaveURL(/\?outages=all$/);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
      .toBe(0);
  },
);

standing(
  'on the map a chosen node says when its last outage ended',
  { tag: DESKTOP },
  async ({ page, server, clock }) => {
    const { outages } = await pastOf(server, clock, 'node_back');
    const end = outages.find(({ to }) => to !== null)?.to ?? '';
    await openLive(page, `${server.url}/?node=node_back`);
    const card = page.getByRole('complementary', { name: 'node_back' });
    await expect(card).toContainText(/Last heartbeat now, last outage \d+ (h|d) ago\./);
    await expect(card.locator(`time[datetime="${end}"]`)).toBeVisible();
  },
);

test.describe('on a phone', () => {
  test.use({ env: { COMPUTE_LISTING: 'announced' } });
  test(
    'a compute offer is one line: its state as a shape, its name, what is free and when it was announced',
    { tag: [ONLY_PHONE, MORE] },
    async ({ page, server }) => {
      await ping(server.url, { nodeId: 'node_offers', lat: 48, lng: 11 });
      const offer = { image: 'alpine:3.20', replicas: 2 };
      await announce(server.url, {
        nodeId: 'node_offers',
        computes: [
          { ...offer, name: 'fire', freeSlots: 2 },
          { ...offer, name: 'ocr', freeSlots: 0 },
        ],
      });
      await page.goto(`${server.url}/nodes/node_offers`);
      const row = page
        .getByRole('region', { name: 'Compute offers' })
        .getByRole('row')
        .filter({ hasText: 'fire' });
      await expect(row.getByRole('rowheader')).toHaveText(/available\s*fire/);
      const tops = await row
        .locator('th, td:visible')
        .evaluateAll((cells) =>
          cells.map((cell) => Math.round(cell.getBoundingClientRect().bottom)),
        );
      expect(tops).toHaveLength(3);
      expect(Math.max(...tops) - Math.min(...tops)).toBeLessThanOrEqual(8);
    },
  );
});
