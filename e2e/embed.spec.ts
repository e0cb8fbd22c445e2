import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FRAME_PERMISSIONS } from '#app/features/docs/examples.ts';
import { cityNodes, ping, pingAll } from './support/seed.ts';
import { test as base } from './support/fake-clock.ts';
import { DESKTOP, expect, open, PHONE } from './support/test.ts';

const SAN_FRANCISCO = { lat: 37.5, lng: -122.5 };

/** A site of another origin, with the frames that a test gives it. */
const test = base.extend<{ site: { url: string; show: (html: string) => void } }>({
  site: async ({}, use) => {
    let html = '';
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(`<!doctype html><html lang="en"><title>A blog</title>${html}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await use({
      url: `http://127.0.0.1:${port}`,
      show: (frames) => (html = frames),
    });
    await new Promise((resolve) => server.close(resolve));
  },
  // The browser says that it shows no frame of any other page, and that a page may not set a policy by `*`.
  allowed: async ({}, use) => use([/frame-ancestors/]),
});

test(
  'another site shows the live map in a sandboxed frame, and no other page',
  { tag: PHONE },
  async ({ page, context, server, site }) => {
    await pingAll(server, cityNodes(20));
    site.show(`
    <iframe title="embed" width="100%" height="420" sandbox="${FRAME_PERMISSIONS}"
      src="${server.url}/embed?theme=dark"></iframe>
    <iframe title="site" width="100%" height="420" src="${server.url}/status"></iframe>`);
    await page.goto(site.url);
    const embed = page.frameLocator('[title=embed]');
    const map = embed.getByRole('application');
    await expect(map).toHaveAccessibleName(/^Map: 20 nodes/);
    await expect(embed.getByRole('status')).toHaveText('Live');
    await expect(embed.getByRole('main')).toHaveCSS('color-scheme', 'dark');
    await ping(server.url, { nodeId: 'node_new', ...SAN_FRANCISCO });
    await expect(map).toHaveAccessibleName(/^Map: 21 nodes/);
    await expect(embed.getByRole('banner')).toHaveCount(0);
    await expect(embed.getByRole('contentinfo')).toHaveCount(0);
    await expect(page.frameLocator('[title=site]').getByRole('heading')).toHaveCount(0);
    expect(await context.cookies()).toEqual([]);

    const [full] = await Promise.all([
      context.waitForEvent('page'),
      embed.getByRole('link', { name: 'Open the full map' }).click(),
    ]);
    await expect(full).toHaveURL(`${server.url}/`);
    await expect(full.getByRole('status')).toHaveText('Live');
    expect(await full.evaluate(() => window.opener)).toBeNull();
  },
);

test(
  'a place that is clicked is opened on the full map, with the filter of the embedded one',
  { tag: DESKTOP },
  async ({ page, server }) => {
    const { lat, lng } = SAN_FRANCISCO;
    await ping(server.url, { nodeId: 'node_sf', region: 'NA', ...SAN_FRANCISCO });
    await ping(server.url, { nodeId: 'node_idle', status: 'idle', region: 'NA', ...SAN_FRANCISCO });
    await page.goto(`${server.url}/embed?filter=online,NA&theme=pink&map=${lat},${lng},6`);
    const map = page.getByRole('application');
    await expect(map).toHaveAccessibleName(/^Map: 1 node /);
    await expect(page.getByRole('complementary')).toContainText('1 of 2 nodes');
    // Only a live map knows where its places are.
    await expect(page.getByRole('status')).toHaveText('Live');
    await map.click();
    const link = page.getByRole('link', { name: 'View this place on the full map' });
    await expect(link).toHaveAttribute(
      'href',
      `/?status=online&region=NA&at=${lat},${lng}&map=${lat},${lng},6`,
    );
  },
);

test(
  'the snippet and its preview follow the options',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await ping(server.url, { nodeId: 'node_sf', ...SAN_FRANCISCO });
    // The options need the scripts, which a page that loads anew has not run yet.
    await open(page, `${server.url}/?status=online`);
    await page.getByRole('link', { name: 'Embed this map' }).click();
    const snippet = page.getByRole('group', { name: 'HTML' });
    await expect(snippet).toContainText(`src="${server.url}/embed?filter=online"`);
    await page.getByLabel('Theme', { exact: true }).selectOption('Dark');
    await page.getByLabel('idle', { exact: true }).check();
    await expect(snippet).toContainText(
      `src="${server.url}/embed?theme=dark&amp;filter=online,idle"`,
    );
    const preview = page.frameLocator('[title^=Preview]');
    await expect(preview.getByRole('main')).toHaveCSS('color-scheme', 'dark');
    await expect(preview.getByRole('application')).toHaveAccessibleName(/^Map: 1 node /);
  },
);
