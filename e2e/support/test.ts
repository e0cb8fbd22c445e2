import { test as base, expect as playwrightExpect, type Page } from 'playwright/test';
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../test/support/server.ts';
import { createDatabase, type Data } from './database.ts';

interface Fixtures {
  /** Selects the server's database. It starts empty, and survives a restart. */
  data: Data;
  /** Further environment variables of the server. */
  env: Record<string, string>;
  /** What the server is started with besides its environment. */
  serverOptions: TestServerOptions;
  /** A server for this test alone, with an empty database. It runs in the test's process: a start takes a tenth. */
  server: TestServer;
  /**
   * Complaints of the browser that this test expects. Any other on its console, an uncaught error, or a
   * request to another host fails the test.
   */
  allowed: RegExp[];
}

/**
 * Remix preloads the styles of the next page and shows the page once its data are there too. The browser looks for
 * unused preloads once, a few seconds after the load of the first page: who is on the way just then gets the warning.
 * What an import of that page needs as well is asked for in another mode, which is the second warning.
 */
const STYLES_OF_NEXT_PAGE =
  /\.css was preloaded using link preload but not used within a few seconds|\.css' is found, but is not used because the request credentials mode does not match/;

/** Tags a test that does not depend on the size of the screen, so that it runs once. */
export const DESKTOP = '@desktop';
/** Tags the test of a page that `npm test` runs on a phone, too. The others do so in `npm run test:more`. */
export const PHONE = '@phone';
/** Tags a test that only `npm run test:more` runs: large data, or what another test covers for one case. */
export const MORE = '@more';
/** Tags a test of what only a phone has. */
export const ONLY_PHONE = '@only-phone';

/** How often the running test has asserted something. A worker runs one test at a time. */
let assertions = 0;

/** Playwright's `expect`, counted: a test without any assertion fails. */
export const expect: typeof playwrightExpect = new Proxy(playwrightExpect, {
  apply(target, self, args) {
    assertions += 1;
    return Reflect.apply(target, self, args) as unknown;
  },
  get(target, name) {
    if (name === 'soft' || name === 'poll') assertions += 1;
    return Reflect.get(target, name, target) as unknown;
  },
});

export const test = base.extend<Fixtures & { asserting: undefined }>({
  // Runs with every test, though none asks for it.
  asserting: [
    async ({}, use, { expectedStatus }) => {
      assertions = 0;
      await use(undefined);
      const { status } = base.info();
      if (status === expectedStatus && status === 'passed' && assertions === 0)
        throw new Error('This test asserts nothing: it could not fail.');
    },
    { auto: true },
  ],
  browser: [
    async ({ playwright, launchOptions }, use) => {
      const launch = () => playwright.chromium.launch(launchOptions);
      // Once in some hundred times Chromium crashes as it starts, before it has a page.
      const browser = await launch().catch(launch);
      await use(browser);
      await browser.close();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  // All operators and nodes of a test have one address.
  env: [{ OPEN_REGISTRATIONS_PER_CLIENT: '1000', NEW_NODES_PER_HOUR: '100000' }, { option: true }],
  data: async ({}, use) => {
    const database = await createDatabase();
    await use(database.data);
    await database.drop();
  },
  serverOptions: async ({}, use) => use({}),
  server: async ({ data, env, serverOptions }, use) => {
    const server = await startTestServer({ ...serverOptions, env: { ...env, ...data } });
    await use(server);
    await server.stop();
  },
  allowed: async ({}, use) => use([]),
  context: async ({ context, server, allowed }, use) => {
    const { hostname } = new URL(server.url);
    const complaints: string[] = [];
    const complain = (text: string) => {
      if (![...allowed, STYLES_OF_NEXT_PAGE].some((pattern) => pattern.test(text)))
        complaints.push(text);
    };
    context.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      const { url } = message.location();
      complain(url === '' ? message.text() : `${message.text()} (${url})`);
    });
    context.on('weberror', (error) => complain(String(error.error())));
    context.on('request', (request) => {
      const url = request.url();
      if (new URL(url).hostname !== hostname && !/^(data|blob):/.test(url))
        complaints.push(`A request left for ${url}`);
    });
    await use(context);
    playwrightExpect(complaints).toEqual([]);
  },
});

/** The browser's messages about a server that is down, or goes down during an answer. */
export const CONNECTION_LOST = /net::ERR_|status of 50\d|Failed to fetch|network error/;

/**
 * Opens the page and waits for hydration. Before that a click loads a whole new page.
 */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expectTakenOver(page);
}

/** Remix takes over scroll restoration when it hydrates the page. */
export const expectTakenOver = (page: Page) =>
  page.waitForFunction(() => history.scrollRestoration === 'manual');

/** Opens the page and waits until it is live. */
export async function openLive(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expectLive(page);
}

export const expectLive = (page: Page) =>
  expect(page.getByRole('banner').getByRole('status')).toHaveText('Live');

/** The counts by status as the page shows them, and the number of nodes. */
export async function shownCounts(page: Page): Promise<Record<string, number>> {
  const overview = page.getByRole('region', { name: /^[\d,]+ nodes?$/ });
  return overview.evaluate((element) => {
    const number = (text: string | null | undefined) =>
      parseInt((text ?? '').replace(/,/g, ''), 10);
    const counts = [...element.querySelectorAll('ul[aria-label=Status] a')].map((status) => [
      status.querySelector('b')?.textContent ?? '',
      number(status.querySelector('em')?.textContent),
    ]);
    return {
      ...(Object.fromEntries(counts) as Record<string, number>),
      nodes: number(element.querySelector('h2')?.textContent),
    };
  });
}

export const theMap = (page: Page) => page.getByRole('application');
