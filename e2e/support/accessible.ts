import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import axe, { type RunOptions } from 'axe-core';
import type { Locator, Page } from 'playwright/test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { publishedAt } from '../../test/support/network-truth.ts';
import { signInReviewer, type SignedIn } from '../../test/support/reviewer.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { smallTargets } from './targets.ts';
import { createDatabase } from './database.ts';
import { seedEveryState } from './seed-all-states.ts';
import { expect, expectTakenOver, test as base } from './test.ts';

type States = Awaited<ReturnType<typeof seedEveryState>>;

interface Seeded {
  server: TestServer;
  states: States;
  invitation: string;
  administrator: SignedIn;
}

interface Helpers {
  server: TestServer;
  states: States;
  /** The token of an invitation, which no test accepts. */
  invitation: string;
  /** Has an account with a session, which no test changes. */
  administrator: SignedIn;
  /** Checks the page as it is now, with everything unfolded. */
  check: (what: string) => Promise<void>;
  open: (path: string) => Promise<void>;
  press: (button: string) => Promise<void>;
  heading: (name: string) => Locator;
}

/** Rules that depend on the layout. All others are checked on the desktop only. */
const LAYOUT_RULES: RunOptions['runOnly'] = {
  type: 'rule',
  values: ['target-size', 'scrollable-region-focusable', 'aria-hidden-focus', 'region'],
};
const ALL_RULES: RunOptions['runOnly'] = [
  'wcag2a',
  'wcag2aa',
  'wcag21a',
  'wcag21aa',
  'wcag22aa',
  'best-practice',
];
/** Rules that depend on the theme. */
const COLOUR_RULES: RunOptions['runOnly'] = { type: 'rule', values: ['color-contrast'] };

async function violations(page: Page, runOnly: RunOptions['runOnly']): Promise<string[]> {
  return page.evaluate(async (rules) => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
      ...(rules && { runOnly: rules }),
      // What is in a frame is a page by itself, and checked as one.
      iframes: false,
      resultTypes: ['violations'],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    );
  }, runOnly);
}

/** A registry in which everything has happened, on one server for all tests of a worker. */
export const test = base.extend<Helpers, { seeded: Seeded }>({
  seeded: [
    async ({}, use) => {
      const { data, drop } = await createDatabase();
      const clock = new FakeClock(Date.now());
      const folder = temporaryDirectory();
      const truthFile = join(folder.path, 'truth.json');
      writeFileSync(truthFile, JSON.stringify(publishedAt(clock.now)));
      const server = await startTestServer({
        env: { ...data, RATE_LIMITS: 'off', TRUTH_FILE: truthFile },
        clock: clock.read,
      });
      const states = await seedEveryState(server, clock);
      const account = { email: 'ada@example.org', role: 'administrator' } as const;
      const administrator = await signInReviewer(server.services, account);
      await server.services.review.decide({
        note: states.decided.note,
        reviewer: account.email,
        decision: 'reject',
        reason: 'Nothing came.',
      });
      const invitation = await server.services.accounts.invite('system', {
        email: 'mia@example.org',
        role: 'reviewer',
      });
      await use({ server, states, invitation, administrator });
      await server.stop();
      await drop();
      folder.remove();
    },
    { scope: 'worker' },
  ],
  server: async ({ seeded: { server } }, use) => use(server),
  states: async ({ seeded }, use) => use(seeded.states),
  invitation: async ({ seeded }, use) => use(seeded.invitation),
  administrator: async ({ seeded }, use) => use(seeded.administrator),
  // For pages that do not exist, and refused forms.
  allowed: async ({}, use) => use([/status of (40\d|500)/]),

  check: async ({ page }, use, { project }) => {
    const phone = project.use.isMobile;
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await use(async (what) => {
      await expect(page.locator('h1')).toHaveCount(1);
      await page.evaluate(() => {
        for (const fold of document.querySelectorAll<HTMLDetailsElement>('main details'))
          fold.open = true;
      });
      if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
      if (!phone) {
        expect.soft(await violations(page, ALL_RULES), `${what}, light`).toEqual([]);
        await page.emulateMedia({ colorScheme: 'dark' });
        expect.soft(await violations(page, COLOUR_RULES), `${what}, dark`).toEqual([]);
        await page.emulateMedia({ colorScheme: 'light' });
        await expect.poll(width, what).toBeLessThanOrEqual(1440);
        for (const window of [1280, 1024, 900, 768]) {
          await page.setViewportSize({ width: window, height: 900 });
          await expect.poll(width, `${what}, ${window} px wide`).toBeLessThanOrEqual(window);
          if (window === 1280) expect.soft(await smallTargets(page), what).toEqual([]);
        }
        await page.setViewportSize({ width: 1440, height: 900 });
        return;
      }
      expect.soft(await violations(page, LAYOUT_RULES), what).toEqual([]);
      expect.soft(await smallTargets(page), what).toEqual([]);
      await expect.poll(width, what).toBe(390);
      // Nearly the same as a zoom of 200 %.
      await page.setViewportSize({ width: 320, height: 640 });
      await expect.poll(width, what).toBe(320);
      await page.setViewportSize({ width: 390, height: 844 });
    });
  },
  open: async ({ page, server }, use) =>
    use(async (path) => {
      await page.goto(server.url + path);
      // A frame of another site keeps no place to scroll to.
      if (!path.startsWith('/embed')) await expectTakenOver(page);
    }),
  press: async ({ page }, use) =>
    use((button) => page.getByRole('button', { name: button, exact: true }).click()),
  heading: async ({ page }, use) => use((name) => page.getByRole('heading', { name, exact: true })),
});
