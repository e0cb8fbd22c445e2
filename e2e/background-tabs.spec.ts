import type { Page } from 'playwright/test';
import { announce } from './support/seed.ts';
import {
  DESKTOP,
  expect,
  expectLive,
  expectTakenOver,
  open,
  openLive,
  test,
} from './support/test.ts';

test.use({ env: { COMPUTE_LISTING: 'announced' } });

/** As if the tab went to the background or came back: Playwright shows every page all the time. */
const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);

const offer = (freeSlots: number) => ({
  nodeId: 'node_a',
  label: 'garage',
  computes: [{ name: 'fire', image: 'alpine:3.20', replicas: 8, freeSlots }],
});

test(
  'seven tabs of one host without HTTP/2 all load, because hidden tabs hold no connection',
  { tag: DESKTOP },
  async ({ page, server, context }) => {
    await announce(server.url, offer(4));
    const tabs: Page[] = [];
    // A browser opens six connections to such a host.
    for (const path of ['/', '/computes', '/', '/computes', '/', '/computes']) {
      const tab = await context.newPage();
      await openLive(tab, `${server.url}${path}`);
      await setHidden(tab, true);
      tabs.push(tab);
    }
    await open(page, `${server.url}/docs`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();

    await announce(server.url, offer(3));
    const shown = tabs[1] as Page;
    await expect(shown.getByRole('row', { name: /fire/ })).toContainText('4');
    await setHidden(shown, false);
    await expect(shown.getByRole('row', { name: /fire/ })).toContainText('3');
    await expectLive(shown);
  },
);

test(
  'a tab that is opened in the background opens its stream once it is shown',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await announce(server.url, offer(4));
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.addInitScript(() =>
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }),
    );
    await page.goto(`${server.url}/computes`);
    await expectTakenOver(page);
    await page.waitForLoadState('networkidle');
    const ofStreams = () => asked.filter((path) => /computes\.changes|api\/registry/.test(path));
    expect(ofStreams()).toEqual([]);
    await setHidden(page, false);
    await expectLive(page);
    expect(ofStreams()).toEqual(['/api/registry/computes', '/api/trpc/computes.changes']);
  },
);
