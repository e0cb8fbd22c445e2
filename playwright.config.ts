import { availableParallelism } from 'node:os';
import { defineConfig, devices } from 'playwright/test';
import { chromium } from './test/support/chromium.ts';
import { SLOW } from './test/support/slow.ts';

const DESKTOP = { viewport: { width: 1440, height: 900 } };
const PHONE = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  userAgent: devices['Pixel 7'].userAgent,
};

/** Pictures, and no tests. */
const SCREENSHOTS = 'screenshots.spec.ts';

/** No test depends on another: each has its own server, or shares one that none of them spoils. */
export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/support/global-setup.ts',
  outputDir: 'test-results',
  reporter: 'list',
  fullyParallel: true,
  testIgnore: SCREENSHOTS,
  // Tests also wait for servers and pages: three at once keep two cores busy.
  workers: Math.max(3, availableParallelism()),
  retries: 0,
  timeout: 60_000 * SLOW,
  expect: { timeout: 10_000 * SLOW },
  forbidOnly: process.env['CI'] !== undefined,
  use: {
    actionTimeout: 10_000 * SLOW,
    navigationTimeout: 10_000 * SLOW,
    launchOptions: await chromium(),
    locale: 'en-GB',
    timezoneId: 'Pacific/Auckland',
    screenshot: 'only-on-failure',
  },
  // `npm test` runs the first two, `npm run test:more` the next two, `npm run screenshots` the last.
  projects: [
    { name: 'desktop', use: DESKTOP, grepInvert: /@more|@only-phone/ },
    { name: 'phone', use: PHONE, grep: /@phone/ },
    { name: 'desktop-more', use: DESKTOP, grep: /@more/, grepInvert: /@only-phone/ },
    {
      name: 'phone-more',
      use: PHONE,
      grepInvert: /@desktop|@phone/,
      // The server renders the same for every screen.
      testIgnore: ['without-scripts.spec.ts', SCREENSHOTS],
    },
    ...(process.env['SCREENSHOTS'] === undefined
      ? []
      : [{ name: 'screenshots', testMatch: SCREENSHOTS, testIgnore: [] }]),
  ],
});
