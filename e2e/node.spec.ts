import { ping } from './support/seed.ts';
import { DESKTOP, expect, test } from './support/test.ts';

test(
  'the page of a node goes from never seen to online while it is open, and counts down',
  { tag: DESKTOP },
  async ({ page, server, allowed }) => {
    allowed.push(/status of 404/);
    await page.goto(`${server.url}/nodes/node_new`);
    await expect(page.getByText('No heartbeat of this node has come.')).toBeVisible();
    await expect(page.getByLabel('Command for the first heartbeat')).toContainText('"node_new"');
    await ping(server.url, { nodeId: 'node_new', lat: 64, lng: -22, status: 'syncing' });

    const node = page.getByRole('region', { name: 'Node' });
    await expect(node).toContainText('syncing');
    const left = async () =>
      Number(/offline in (\d+) s/.exec((await node.textContent()) ?? '')?.[1] ?? NaN);
    const first = await left();
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(60);
    await expect.poll(left).toBeLessThan(first);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await expect(page.getByRole('link', { name: 'Show on the map' })).toHaveAttribute(
      'href',
      '/?node=node_new',
    );
  },
);
