import { ping } from './support/seed.ts';
import { DESKTOP, expect, openLive, test, theMap } from './support/test.ts';

test(
  'the line below the map counts heartbeats and who joined today while they come, and leads to trends and replay',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_first', lat: 1, lng: 2 });
    await openLive(page, server.url);
    const line = page.getByRole('region', { name: 'Activity' });
    await expect(line).toContainText('+1 joined today');
    for (const nodeId of ['node_a', 'node_b']) await ping(server.url, { nodeId, lat: 40, lng: 20 });
    await expect(line).toContainText('+3 joined today');
    // Three heartbeats within a minute.
    await expect(line).toContainText(/0\.\d+ heartbeats a second/);
    // A heartbeat of a node that is known is none that joined.
    await ping(server.url, { nodeId: 'node_a', lat: 40, lng: 20, status: 'idle' });
    await expect(theMap(page)).toHaveAccessibleName(/^Map: 3 nodes/);
    await expect(page.getByRole('list', { name: 'Status' })).toContainText(/taking no work 1/);
    await expect(line).toContainText('+3 joined today');
    await expect(line).toContainText('The first point comes tonight');

    await line.getByRole('link', { name: /^Replay/ }).click();
    await expect(page).toHaveURL(/replay=24h/);
    await expect(line).toBeHidden();
    await page.getByRole('button', { name: 'Back to live' }).click();
    await line.getByRole('link', { name: /Trends/ }).click();
    await expect(page).toHaveURL(`${server.url}/trends`);
  },
);
