import type { Page } from 'playwright/test';
import type { Computes } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { announce, announceMany, ping } from './support/seed.ts';
import { test as standing } from './support/fake-clock.ts';
import {
  CONNECTION_LOST,
  DESKTOP,
  expect,
  expectLive,
  expectTakenOver,
  MORE,
  ONLY_PHONE,
  openLive,
  PHONE,
  test,
} from './support/test.ts';

test.use({ env: { COMPUTE_LISTING: 'announced' } });
standing.use({ env: { COMPUTE_LISTING: 'announced' } });

const row = (page: Page, name: RegExp | string) => page.getByRole('row', { name });
const names = (page: Page) => page.getByRole('rowheader');
const search = (page: Page) => page.getByRole('main').getByRole('searchbox');
const chip = (page: Page, name: string) =>
  page
    .getByRole('main')
    .getByRole('search')
    .getByRole('link', { name: new RegExp(`^${name} `) });
const menu = (page: Page, name: string) =>
  page.locator('summary:visible').getByText(name, { exact: true });
const removeFilters = (page: Page) => page.getByRole('link', { name: 'Remove filters' });
/** On a phone the filters are folded. */
const unfold = async (page: Page, isMobile: boolean) => {
  if (isMobile) await page.getByText(/^Filters/).click();
};
const fire = (freeSlots: number) => ({
  nodeId: 'node_a',
  label: 'garage',
  computes: [{ name: 'fire', image: 'alpine:3.20', replicas: 8, freeSlots }],
});

standing(
  'an announcement shows on the open page without a reload and changes its status; without another the offer goes offline',
  { tag: DESKTOP },
  async ({ page, server, clock }) => {
    await openLive(page, `${server.url}/computes`);
    await expect(page.getByText('No compute offers yet')).toBeVisible();
    for (const [freeSlots, shows] of [
      [4, '4 free'],
      [0, 'busy'],
      // A slot is no replica: there may be more of them.
      [12, '12 free'],
    ] as const) {
      await announce(server.url, fire(freeSlots));
      await expect(row(page, /fire/)).toContainText(shows);
    }
    await expect(row(page, /fire/)).toContainText('available');
    await expect(page.getByText('1 offer on 1 node, 12 slots')).toBeVisible();

    clock.advance(server.services.config.computeFreshMs + 1000);
    await expect(row(page, /fire/)).toContainText('offline');
    await expect(page.getByText('1 offer on 1 node, 0 slots')).toBeVisible();
    await announce(server.url, fire(5));
    await expect(row(page, /fire/)).toContainText('available');
  },
);

test(
  'filters are in the URL: a reload and Back from another page restore them',
  { tag: PHONE },
  async ({ page, server, isMobile }) => {
    await announceMany(server.url, 120);
    await openLive(page, `${server.url}/computes`);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await unfold(page, isMobile);
    await expect(chip(page, 'busy')).toHaveText('busy 24');
    await chip(page, 'busy').click();
    await expect(page).toHaveURL(/\?status=busy$/);
    await expect(page.getByText('24 of 120 offers')).toBeVisible();
    await search(page).pressSequentially('llama 000', { delay: 20 });
    const filtered = ['15', '35', '55', '75', '95'].map((index) => `compute-000${index}`);
    await expect(page.getByText('5 of 120 offers')).toBeVisible();
    await expect(page).toHaveURL(/\?q=llama\+000&status=busy$/);
    await expect(search(page)).toHaveValue('llama 000');
    await expect(names(page)).toHaveText(filtered);
    // The page has all rows, so it makes no request.
    expect(asked.filter((path) => path.includes('computes'))).toEqual([]);

    await page.reload();
    await expectLive(page);
    await expect(search(page)).toHaveValue('llama 000');
    await expect(names(page)).toHaveText(filtered);
    await page
      .getByRole('link', { name: 'Mesh Registry' })
      .evaluate((link: HTMLElement) => link.click());
    await expect(page).toHaveTitle(/^Live map/);
    await page.goBack();
    await expect(search(page)).toHaveValue('llama 000');
    await expect(names(page)).toHaveText(filtered);
    await removeFilters(page).click();
    await expect(search(page)).toHaveValue('');
    await expect(page).toHaveURL(/\/computes$/);
    await expect(removeFilters(page)).toBeHidden();
    await search(page).fill('no such thing');
    await expect(page.getByText('No matching compute offers.')).toBeVisible();
    await removeFilters(page).click();
    await expect(row(page, /compute-00000/)).toBeVisible();
  },
);

test(
  'search, filters, order and rows can be reached by keyboard alone',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    await announceMany(server.url, 400);
    await openLive(page, `${server.url}/computes`);
    await search(page).focus();
    await page.keyboard.press('Tab');
    await expect(chip(page, 'All')).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(chip(page, 'available')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/status=available/);
    // The URL changes before the page.
    await expect(chip(page, 'available')).toHaveAttribute('aria-current', 'true');
    await expect(chip(page, 'available')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/computes$/);
    await expect(chip(page, 'available')).not.toHaveAttribute('aria-current');

    await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute(
      'aria-sort',
      'descending',
    );
    // From the last head on, each Tab goes to the next box or link of a row, beyond the first rendered rows.
    await page.getByRole('columnheader', { name: 'Announced' }).getByRole('link').focus();
    for (let stop = 0; stop < 3 * 40; stop++) {
      await page.keyboard.press('Tab');
      // Rows are rendered as the focus moves: before the next Tab the row below has to be there.
      await page.waitForFunction(() =>
        document.activeElement?.closest('tr')?.nextElementSibling?.querySelector('a'),
      );
    }
    await page.keyboard.press('Shift+Tab');
    await expect(page.getByRole('link', { name: 'compute-00360' })).toBeFocused();
    // The row keeps the focus when it is scrolled out of view.
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await expect(page.getByRole('link', { name: 'compute-00000' })).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(
      page
        .getByRole('row', { name: /compute-00360/ })
        .getByRole('link')
        .last(),
    ).toBeFocused();
    await expect(page.getByRole('row', { name: /compute-00360/ })).toBeInViewport();
  },
);

test(
  'a click anywhere in a row opens the page of its name, and a click on a head sorts',
  { tag: [PHONE] },
  async ({ page, server, allowed }) => {
    // Nobody has registered the name.
    allowed.push(/status of 404/);
    await announce(server.url, fire(5));
    await openLive(page, `${server.url}/computes`);
    await row(page, /fire/).getByText('alpine:3.20').click();
    await expect(page).toHaveURL(/\/registry\/fire$/);
    await page.goBack();
    await expectLive(page);
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').focus();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/computes\?sort=-name$/);
    await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute(
      'aria-sort',
      'descending',
    );
  },
);

test(
  'a menu closes with Escape and with a click outside it',
  { tag: DESKTOP },
  async ({ page, server }) => {
    await announce(server.url, fire(5));
    await openLive(page, `${server.url}/computes?visibility=public`);
    const command = page.getByLabel('Command').first();
    await menu(page, 'API call').click();
    await expect(command).toHaveText(
      `curl -s "${server.url}/api/registry/computes?visibility=public"`,
    );
    await page.keyboard.press('Escape');
    await expect(command).toBeHidden();
    await menu(page, 'Export').click();
    const download = page.waitForEvent('download');
    await page.locator('a:visible', { hasText: 'CSV' }).click();
    expect((await download).suggestedFilename()).toMatch(/^computes-\d{4}-\d\d-\d\d\.csv$/);
    await page.getByRole('heading', { name: 'Compute directory' }).click();
    await expect(page.locator('a:visible', { hasText: 'CSV' })).toBeHidden();
  },
);

test(
  '5,000 compute offers are one list that can be scrolled to its end, and a change renders one row',
  { tag: MORE },
  async ({ page, server }, info) => {
    await announceMany(server.url, 5000);
    await openLive(page, `${server.url}/computes`);
    const table = page.getByRole('table');
    await expect(table).toHaveAttribute('aria-rowcount', '5001');
    await expect(page.getByText(/^5,000 offers on/)).toBeVisible();
    await expect(row(page, /compute-00000/)).toHaveAttribute('aria-rowindex', '2');
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(100);
    expect(await page.getByRole('row').count()).toBeGreaterThan(10);

    // A scroll waits for no row: new ones are rendered after it, in slices.
    const rendered = await page.evaluate(() => {
      const lastRow = () =>
        [...document.querySelectorAll<HTMLElement>('tr[data-id]')].at(-1)?.dataset['id'];
      const before = lastRow();
      return new Promise((resolve) => {
        window.addEventListener('scroll', () => resolve([before, lastRow()]), { once: true });
        window.scrollBy(0, 2000);
      });
    });
    const [first, then] = rendered as (string | undefined)[];
    expect(first).toBeDefined();
    expect(then).toBe(first);
    await expect(row(page, /compute-00050/)).toBeVisible();
    // Every row is as high as was expected, so the list keeps its height when they come into view.
    const height = () => table.evaluate((element) => element.getBoundingClientRect().height);
    const high = await height();

    const tasks = await page.evaluate(async () => {
      const tasks: number[] = [];
      new PerformanceObserver((list) =>
        list.getEntries().forEach(({ duration }) => tasks.push(Math.round(duration))),
      ).observe({ type: 'longtask' });
      for (let step = 0; step < 60; step++) {
        window.scrollBy(0, 400);
        await new Promise(requestAnimationFrame);
      }
      return tasks;
    });
    // It depends on the machine, so it is only printed.
    console.log(
      `${info.project.name}: tasks over 50 ms while scrolling 5,000 rows: [${tasks.join(', ')}] ms`,
    );
    const middle = () =>
      page.evaluate(() => {
        const at = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
        return at?.closest('tr')?.querySelector('th')?.textContent ?? '';
      });
    let inSight = '';
    await expect.poll(async () => (inSight = await middle())).toMatch(/^compute-00[1-9]/);
    expect(await height()).toBe(high);

    // Records what changes in the document from here on, other than ages.
    await page.evaluate(() => {
      const changed = new Set<string>();
      const rowOf = (node: Node) =>
        (node instanceof Element ? node : node.parentElement)?.closest('tr');
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const element = target instanceof Element ? target : target.parentElement;
          if (element?.closest('time')) continue;
          changed.add(rowOf(target)?.dataset['id'] ?? element?.tagName ?? '');
        }
      }).observe(document.querySelector('tbody') as Element, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
      Object.assign(window, { changed });
    });
    // The list rests once a browser with nothing else to do changes nothing.
    const moved = () =>
      page.evaluate(async () => {
        const { changed } = window as unknown as { changed: Set<string> };
        changed.clear();
        await new Promise(requestAnimationFrame);
        await new Promise((rested) => requestIdleCallback(rested));
        return changed.size;
      });
    await expect.poll(moved).toBe(0);
    const response = await fetch(`${server.url}/api/registry/computes`);
    const { computes } = (await response.json()) as Computes;
    const before = computes.find(({ name }) => name === inSight);
    if (!before) throw new Error(`${inSight} is not in the directory`);
    const { nodeId, label } = before;
    await announce(server.url, { nodeId, label, computes: [{ ...before, freeSlots: 77 }] });
    await expect(row(page, new RegExp(inSight))).toContainText('77 free');
    const changed = await page.evaluate(() => [
      ...(window as unknown as { changed: Set<string> }).changed,
    ]);
    expect(changed).toEqual([before.id]);

    // Back restores the scroll position.
    await page
      .getByRole('link', { name: 'Mesh Registry' })
      .evaluate((link: HTMLElement) => link.click());
    await expect(page).toHaveTitle(/^Live map/);
    await page.goBack();
    await expect(row(page, new RegExp(inSight))).toBeInViewport();

    await page.keyboard.press('End');
    await expect(row(page, /compute-04999/)).toBeInViewport();
    await expect(row(page, /compute-04999/)).toHaveAttribute('aria-rowindex', '5001');
    await page.keyboard.press('Home');
    await search(page).fill('compute-04998');
    await expect(page.getByRole('rowheader')).toHaveText(['compute-04998']);
  },
);

test(
  'nothing is cut off at a width of 320 px, and the page still works while the server is down',
  { tag: MORE },
  async ({ page, server, allowed }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await announce(server.url, {
      nodeId: 'a'.repeat(64),
      label: 'x'.repeat(64),
      computes: [
        {
          name: 'n'.repeat(32),
          image: 'i'.repeat(255),
          backend: 'b'.repeat(32),
          replicas: 100_000,
          freeSlots: 1_000_000,
        },
      ],
    });
    await openLive(page, `${server.url}/computes`);
    await unfold(page, true);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await page.keyboard.press('Escape');
    for (const name of ['API call', 'Export']) {
      await menu(page, name).click();
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    }
    allowed.push(CONNECTION_LOST);
    await server.stop();
    await expect(page.getByRole('banner').getByRole('status')).toContainText('Reconnecting');
    await unfold(page, true);
    await page.getByLabel('Visibility').selectOption('private');
    await expect(page).toHaveURL(/visibility=private/);
    await page.getByRole('button', { name: 'Show 1 offer' }).click();
    await expect(page.getByLabel('Visibility')).toBeHidden();
    await expect(row(page, /nnnn/)).toContainText('1,000,000 free');
  },
);

/** Compute offers whose texts are as long as allowed, among others. */
async function announceLong(url: string): Promise<void> {
  await announceMany(url, 60);
  await announce(url, {
    nodeId: 'a'.repeat(64),
    label: 'Community mesh of the long street '.repeat(2).slice(0, 64).trim(),
    computes: ['long', 'n'.repeat(32)].map((name) => ({
      name,
      image: `ghcr.io/${'image/'.repeat(40)}`.slice(0, 255),
      backend: 'b'.repeat(32),
      replicas: 100_000,
      freeSlots: 1_000_000,
    })),
  });
}

for (const width of [390, 1024, 1440])
  test(
    `cells of long texts stay in line at a width of ${width} px`,
    { tag: [DESKTOP, MORE] },
    async ({ page, server }) => {
      await page.setViewportSize({ width, height: 900 });
      await announceLong(server.url);
      await openLive(page, `${server.url}/computes?sort=-name`);
      await expect(row(page, /nnnn/)).toBeVisible();
      const { head, rows, right } = await page.getByRole('table').evaluate((table) => {
        const shown = (cell: Element) => cell.getClientRects().length > 0;
        const box = (cell: Element) => {
          const { left, right } = cell.getBoundingClientRect();
          // The middle of the first line of text, or of a box.
          const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
          const range = document.createRange();
          range.selectNodeContents(text ?? (cell.querySelector('input') as Node));
          const [line] = text ? range.getClientRects() : [cell.getBoundingClientRect()];
          return { left, right, middle: ((line?.top ?? 0) + (line?.bottom ?? 0)) / 2 };
        };
        const cells = (row: Element) => [...row.children].filter(shown).map(box);
        return {
          right: table.getBoundingClientRect().right,
          head: cells(table.querySelector('thead tr') as Element),
          rows: [...table.querySelectorAll('tbody tr[aria-rowindex]')].slice(0, 5).map(cells),
        };
      });
      expect(rows).toHaveLength(5);
      if (width === 390) {
        // Two lines: the name and the image, and at their right what is free and where.
        for (const cells of rows) {
          expect(cells).toHaveLength(5);
          const [, name, image, free, where] = cells;
          expect([name?.left, image?.left]).toEqual(Array(2).fill(rows[0]?.[1]?.left));
          expect([free?.right, where?.right]).toEqual(Array(2).fill(rows[0]?.[3]?.right));
          expect(Math.abs((image?.middle ?? 0) - (where?.middle ?? 9))).toBeLessThan(3);
        }
        return;
      }
      for (const cells of rows) expect(cells).toHaveLength(head.length);
      expect(head).toHaveLength(width === 1440 ? 12 : 8);
      expect(head.at(-1)?.right).toBe(right);
      for (const row of rows) {
        expect(row.map(({ left, right }) => [left, right])).toEqual(
          head.map(({ left, right }) => [left, right]),
        );
        // A long name takes several lines, all others one.
        const [, , node, ...others] = row;
        for (const { middle } of others)
          expect(Math.abs(middle - (node?.middle ?? 0))).toBeLessThan(3);
      }
    },
  );

test(
  'a list under the pointer keeps its order, shows the values of now, and says how much would change',
  { tag: DESKTOP },
  async ({ page, server }) => {
    const offers = (free: Record<string, number>) =>
      announce(server.url, {
        nodeId: 'node_a',
        label: 'garage',
        computes: Object.entries(free).map(([name, freeSlots]) => ({
          name,
          image: 'alpine:3.20',
          replicas: 8,
          freeSlots,
        })),
      });
    await offers({ aa: 3, bb: 2, cc: 1 });
    await openLive(page, `${server.url}/computes?sort=-free`);
    await expect(names(page)).toHaveText(['aa', 'bb', 'cc']);
    await row(page, /bb/).hover();
    await offers({ cc: 9, dd: 5 });
    await expect(row(page, /cc/)).toContainText('9 free');
    const apply = page.getByRole('button', { name: 'Show 2 changes' });
    await expect(apply).toBeVisible();
    await expect(names(page)).toHaveText(['aa', 'bb', 'cc']);
    await apply.click();
    await expect(names(page)).toHaveText(['cc', 'dd', 'aa', 'bb']);
    // Nobody is in the list any more.
    await page.mouse.move(5, 5);
    await page.getByRole('heading', { level: 1 }).click();
    await offers({ bb: 7 });
    await expect(names(page)).toHaveText(['cc', 'bb', 'dd', 'aa']);
    await expect(page.getByRole('button', { name: /change/ })).toHaveCount(0);
  },
);

test(
  'offers are filtered by the region of their node and sorted by it, live and without scripts',
  { tag: DESKTOP },
  async ({ page, server, browser }) => {
    for (const [nodeId, region] of [
      ['node_a', 'EU'],
      ['node_b', 'AS'],
    ] as const) {
      await ping(server.url, { nodeId, lat: 48, lng: 11, region });
      await announce(server.url, {
        nodeId,
        computes: [{ name: `of-${nodeId}`, image: 'alpine:3.20', replicas: 1, freeSlots: 1 }],
      });
    }
    await openLive(page, `${server.url}/computes`);
    await expect(row(page, /of-node_b/)).toContainText('Asia');
    await page.getByLabel('Region').selectOption({ label: 'Europe (1)' });
    await expect(page).toHaveURL(/\?region=EU$/);
    await expect(names(page)).toHaveText(['of-node_a']);
    await page.getByLabel('Uptime').selectOption('99');
    await expect(page.getByText('No matching compute offers.')).toBeVisible();

    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${server.url}/computes?sort=region`);
    await expect(names(plain)).toHaveText(['of-node_b', 'of-node_a']);
    await plain.getByLabel('Region').selectOption('AS');
    await plain.getByRole('button', { name: 'Apply' }).click();
    await expect(names(plain)).toHaveText(['of-node_b']);
    await expect(plain).toHaveURL(/region=AS/);
    await expect(plain).toHaveURL(/sort=region/);
    await context.close();
  },
);

test(
  'on a phone the filters are a sheet that closes with Escape, a tap beside it and its button',
  { tag: [PHONE, ONLY_PHONE] },
  async ({ page, server }, info) => {
    test.skip(!info.project.use.isMobile, 'Other screens have room for them.');
    await announceMany(server.url, 10);
    await openLive(page, `${server.url}/computes`);
    const region = page.getByLabel('Region');
    const summary = page.getByText(/^Filters/);
    await summary.click();
    await expect(region).toBeInViewport();
    await page.keyboard.press('Escape');
    await expect(region).toBeHidden();
    await summary.click();
    await page.getByRole('heading', { level: 1 }).click();
    await expect(region).toBeHidden();
    await summary.click();
    await page.getByLabel('Order').selectOption('-name');
    await page.getByRole('button', { name: 'Show 10 offers' }).click();
    await expect(region).toBeHidden();
    await expect(page).toHaveURL(/\?sort=-name$/);
    await expect(names(page).first()).toHaveText('compute-00009');
  },
);

test(
  'a link keeps the focus when the list of all rows replaces the first page',
  { tag: [DESKTOP, MORE] },
  async ({ page, server }) => {
    await announceMany(server.url, 300);
    let loadRows = () => {};
    const focused = new Promise<void>((resolve) => (loadRows = resolve));
    await page.route('**/api/registry/computes', async (route) => {
      await focused;
      await route.continue();
    });
    await page.goto(`${server.url}/computes`);
    await expectTakenOver(page);
    await expect(page.getByRole('navigation', { name: 'Pages of the list' })).toBeVisible();
    const link = page.getByRole('link', { name: 'compute-00005' });
    await link.focus();
    loadRows();
    await expectLive(page);
    await expect(page.getByRole('navigation', { name: 'Pages of the list' })).toBeHidden();
    await expect(link).toBeFocused();
    await page.keyboard.press('End');
    await expect(page.getByRole('link', { name: 'compute-00299' })).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(
      row(page, /compute-00005/)
        .getByRole('link')
        .last(),
    ).toBeFocused();
  },
);
