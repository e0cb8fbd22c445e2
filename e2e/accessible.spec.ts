import axe from 'axe-core';
import type { Page } from 'playwright/test';
import { startTestServer } from '../test/support/server.ts';
import { signInReviewer } from '../test/support/reviewer.ts';
import { exportFor } from '../test/review/exports.ts';
import { createDataDirectory } from './support/database.ts';
import { signIn } from './support/reviewer.ts';
import { cityNodes, ping, pingAll } from './support/seed.ts';
import { expect, test } from './support/test.ts';

/** Every page, with something on it, and where there is nothing. */
const PAGES = [
  '/',
  '/?node=node_macmini',
  '/?view=list&q=node',
  '/computes',
  '/registry',
  '/registry/garage',
  '/registry/nobody',
  '/nodes/node_macmini',
  '/nodes/node_never_seen',
  '/docs',
  '/docs/operators',
  '/docs/status-pages',
  '/docs/privacy',
  '/status',
  '/there/is/nothing',
  '/register?step=what&name=garage',
  '/register?step=check&name=another&class=M&region=a%20b',
  '/register?step=check&name=another&node=node_macmini',
  '/review/sign-in',
  '/review/join/used',
];
/** For whom an administrator's session is there. */
const REVIEW_PAGES = [
  '/review',
  '/review?open=NOTE',
  '/review/registrations',
  '/review/registrations/NOTE',
  '/review/reviewers',
  '/review/account',
  '/review/account/second-factor',
  '/review/payments',
  '/review/history',
  '/review/names',
  '/review/nodes',
];

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    );
  });
}

// What a theme changes is colours, what a screen changes is places: two runs see all of both.
test('axe finds nothing to mend on any page, and nothing is wider than the screen', async ({
  page,
  allowed,
}, info) => {
  const colorScheme = info.project.name === 'phone' ? 'dark' : 'light';
  // What the browser says of the pages that are not there.
  allowed.push(/status of 404/);
  const data = await createDataDirectory();
  const server = await startTestServer({ env: { DATA_DIR: data.path } });
  await pingAll(server.url, cityNodes(30));
  await ping(server.url, { nodeId: 'node_macmini', label: 'garage', lat: 48, lng: 11.5 });
  const { registry, review, computes, reviewers } = server.services;
  const kinds: ('node' | 'compute')[] = ['node', 'compute'];
  const { id } = await registry.start({
    action: 'start',
    name: 'garage',
    label: 'garage',
    class: 'M',
    region: 'EU',
    nodeId: 'node_macmini',
    kinds,
  });
  await registry.confirm({ id });
  await review.accept({ id, reviewer: 'test' });
  await computes.announce({
    nodeId: 'node_macmini',
    label: 'garage',
    computes: ['garage', 'unlisted'].map((name) => ({ name, replicas: 4, freeSlots: 2 })),
  });
  // A registration in each state.
  const start = (name: string) =>
    registry.start({ action: 'start', name, class: 'S', region: 'EU', nodeId: name, kinds });
  const [paying, waiting, ended] = await Promise.all(['paying', 'waiting', 'ended'].map(start));
  for (const one of [waiting, ended]) if (one) await registry.confirm({ id: one.id });
  await review.reject({ id: ended?.id ?? '', reviewer: 'test', reason: 'Nothing came.' });
  const followed = [id, paying?.id, waiting?.id, ended?.id].map((id) => `/register/${id}`);
  const paid = [{ name: 'garage', note: waiting?.paymentNote ?? '' }];
  await server.services.payments.import({ text: exportFor(paid) }, 'test');
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  const link = await reviewers.invite('system', { email: 'eve@example.org', role: 'reviewer' });
  const administrator = await signInReviewer(server.services, { role: 'administrator' });
  for (const path of [...PAGES, ...followed, `/review/join/${link}`, ...REVIEW_PAGES]) {
    if (path === REVIEW_PAGES[0]) await signIn(page, server, administrator);
    await page.goto(server.url + path.replace('NOTE', waiting?.paymentNote ?? ''));
    await expect(page.locator('h1')).toHaveCount(1);
    if (path === '/') await expect(page.getByRole('status')).toHaveText('Live');
    expect(await violations(page), `${path} ${colorScheme}`).toEqual([]);
    const wider = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await expect.poll(wider, path).toBeLessThanOrEqual(0);
    if (info.project.name !== 'phone') continue;
    // Half the width of this phone's pixels is the same page at a zoom of 200 %, nearly.
    await page.setViewportSize({ width: 320, height: 640 });
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth), path)
      .toBe(320);
    await page.setViewportSize({ width: 390, height: 844 });
  }
  await page.close();
  await server.stop();
  await data.remove();
});
