import { FakeClock } from '../../test/support/fake-clock.ts';
import { test as base } from './test.ts';

/** With a clock for the server that the test advances: a slow machine misses no deadline, and nobody waits for one. */
export const test = base.extend<{ clock: FakeClock }>({
  clock: async ({}, use) => use(new FakeClock(Date.now())),
  serverOptions: async ({ clock }, use) => use({ clock: clock.read, loopbackReceivers: true }),
});
