import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page } from 'playwright/test';
import { startRealServer, type RealServer } from './server.ts';

interface Fixtures {
  /** Whether the server's database is on disk, and so is still there after a restart. */
  onDisk: boolean;
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

export const test = base.extend<Fixtures>({
  onDisk: [false, { option: true }],
  env: [{}, { option: true }],
  server: async ({ onDisk, env }, use) => {
    const directory = onDisk ? await mkdtemp(join(tmpdir(), 'mesh-registry-e2e-')) : null;
    const server = await startRealServer({
      ...env,
      ...(directory !== null && { DATA_DIR: directory }),
    });
    await use(server);
    await server.kill();
    if (directory !== null) await rm(directory, { recursive: true, force: true });
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
