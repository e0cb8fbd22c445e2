import { ping } from './support/seed.ts';
import { CONNECTION_LOST, DESKTOP, expect, open, test } from './support/test.ts';

/** A little longer than the page waits before it asks again (ms). */
const REFRESH_MS = 10_500;

test(
  'the open status page updates automatically, and reports when the service doesn’t respond',
  { tag: DESKTOP },
  async ({ page, server, allowed }) => {
    allowed.push(CONNECTION_LOST);
    await page.clock.install();
    await open(page, `${server.url}/status`);
    const operational = page.getByRole('heading', { name: 'All systems operational' });
    const part = (name: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
    const heartbeats = part('Heartbeats and announcements');
    const lists = page
      .locator('dl')
      .filter({ has: page.getByText('Compute offers', { exact: true }) });
    await expect(page.getByRole('status')).toContainText('As of');
    await page.clock.fastForward(REFRESH_MS);
    await expect(page.getByRole('status')).toHaveText('Updated every 10 s');
    await expect(operational).toBeVisible();
    await expect(heartbeats).toContainText('Received');
    // The numbers are folded.
    await expect(lists).toBeHidden();
    await page.getByText('Technical details').click();
    await expect(lists).toContainText('Nodes0');

    await ping(server.url, { nodeId: 'node_a', lat: 1, lng: 2 });
    await page.clock.fastForward(REFRESH_MS);
    await expect(lists).toContainText('Nodes1');

    await page.route('**/api/trpc/**', (route) => route.abort());
    await page.clock.fastForward(REFRESH_MS);
    await expect(page.getByRole('heading', { name: 'The service isn’t responding' })).toBeVisible();
    await expect(heartbeats).toContainText('Unknown at the moment');
    await expect(lists).toContainText('Nodes1');

    await page.unroute('**/api/trpc/**');
    await page.clock.fastForward(REFRESH_MS);
    await expect(operational).toBeVisible();
  },
);
