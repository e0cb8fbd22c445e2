import { defineConfig, devices } from 'playwright/test';
import { chromium } from './test/support/chromium.ts';

/** Every test starts a server process of its own, so they may run side by side in any order. */
export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/support/global-setup.ts',
  outputDir: 'test-results',
  reporter: 'list',
  workers: 2,
  retries: 0,
  // Four times what a slow machine needs: a test that passes waits for none of it.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  forbidOnly: process.env['CI'] !== undefined,
  use: {
    launchOptions: await chromium(),
    locale: 'en-GB',
    timezoneId: 'Pacific/Auckland',
    screenshot: 'only-on-failure',
  },
  projects: [
    { name: 'desktop', use: { viewport: { width: 1440, height: 900 } } },
    {
      name: 'phone',
      // What the server renders does not depend on the screen.
      testIgnore: 'without-scripts.spec.ts',
      grepInvert: /@desktop/,
      use: {
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
        userAgent: devices['Pixel 7'].userAgent,
      },
    },
  ],
});
