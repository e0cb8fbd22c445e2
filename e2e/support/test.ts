import { test as base, expect, type Page } from 'playwright/test';
import { createDataDirectory } from './database.ts';
import { startRealServer, type RealServer } from './server.ts';

interface Fixtures {
  /** The directory of the server's database: empty, and still there after a restart. */
  data: string;
  /** What else the server's environment says. */
  env: Record<string, string>;
  /** A server process of the test's own, empty. */
  server: RealServer;
  /**
   * Complaints of the browser that this test expects. Any other on its console, an uncaught error, or a
   * request to another host fails the test.
   */
  allowed: RegExp[];
}

/** A test whose guarantee has nothing to do with the size of the screen: it runs once. */
export const DESKTOP = '@desktop';

export const test = base.extend<Fixtures>({
  env: [{}, { option: true }],
  data: async ({}, use) => {
    const directory = await createDataDirectory();
    await use(directory.path);
    await directory.remove();
  },
  server: async ({ data, env }, use) => {
    const server = await startRealServer({ ...env, DATA_DIR: data });
    await use(server);
    await server.kill();
  },
  allowed: async ({}, use) => use([]),
  context: async ({ context, server, allowed }, use) => {
    const { hostname } = new URL(server.url);
    const complaints: string[] = [];
    const complain = (text: string) => {
      if (!allowed.some((pattern) => pattern.test(text))) complaints.push(text);
    };
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complain(message.text());
    });
    context.on('weberror', (error) => complain(String(error.error())));
    context.on('request', (request) => {
      const url = request.url();
      if (new URL(url).hostname !== hostname && !/^(data|blob):/.test(url))
        complaints.push(`A request left for ${url}`);
    });
    await use(context);
    expect(complaints).toEqual([]);
  },
});
export { expect };

/** What the browser says of a server that is away, or goes away amid an answer. */
export const CONNECTION_LOST = /net::ERR_|status of 50\d|Failed to fetch|network error/;

/**
 * Opens the page and waits until its scripts have taken over. Before, a click is the browser's own, and so is
 * what follows: a whole page.
 */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expectTakenOver(page);
}

/** As soon as its scripts have taken over the page says that they see to scrolling, until it is left. */
export const expectTakenOver = (page: Page) =>
  page.waitForFunction(() => history.scrollRestoration === 'manual');

/** How soon a change must show on an open page (ms). */
const SOON_MS = 2000;
/** A change that a page is told shows sooner than it would by asking, every 10 s. */
export const TOLD = { timeout: 8000 };

/**
 * Each of these makes a change and waits until it shows. Judged is the quickest: a machine that stands still
 * now and then is not the page's doing.
 */
export async function expectSoon(changes: (() => Promise<void>)[]): Promise<void> {
  const took: number[] = [];
  for (const change of changes) {
    const began = performance.now();
    await change();
    took.push(performance.now() - began);
  }
  expect(Math.min(...took)).toBeLessThan(SOON_MS);
}

/** Opens the page and waits until it is live. */
export async function openLive(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expectLive(page);
}

export const expectLive = (page: Page) =>
  expect(page.getByRole('status')).toHaveText('Live', { timeout: 60_000 });

/** The counts by status as the page shows them, and the number of nodes. */
export async function shownCounts(page: Page): Promise<Record<string, number>> {
  const overview = page.getByRole('region', { name: /^[\d,]+ nodes?$/ });
  return overview.evaluate((element) => {
    const number = (text: string | null | undefined) =>
      parseInt((text ?? '').replace(/,/g, ''), 10);
    const counts = [...element.querySelectorAll('dl > div')].map((row) => [
      row.querySelector('dt')?.textContent ?? '',
      number(row.querySelector('dd')?.textContent),
    ]);
    return {
      ...(Object.fromEntries(counts) as Record<string, number>),
      nodes: number(element.querySelector('h2')?.textContent),
    };
  });
}

export const theMap = (page: Page) => page.getByRole('application');
