import { test as base, expect, type Locator, type Page } from 'playwright/test';
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
   * What the browser may complain of in this test. Anything else on its console, an uncaught error, or
   * a request to another host fails the test.
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

/** What the browser says of a server that is away. */
export const CONNECTION_LOST = /net::ERR_|status of 50\d/;

/** Opens the page and waits until it is live. */
export async function openLive(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expectLive(page);
}

export const expectLive = (page: Page) =>
  expect(page.getByRole('status')).toHaveText('Live', { timeout: 20_000 });

/** Waits until the page's scripts have taken over what stands there: a page from the server does not tell. */
export const expectScripts = (element: Locator) =>
  expect
    .poll(() => element.evaluate((own) => Object.keys(own).some((key) => /^__react/.test(key))))
    .toBe(true);

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
