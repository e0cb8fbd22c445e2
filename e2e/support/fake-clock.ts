import { FakeClock } from '../../test/support/fake-clock.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import type { RealServer } from './server.ts';
import { test as base } from './test.ts';

/**
 * The server in the test's own process, with its services at hand and a clock that the test advances: a
 * slow machine misses no deadline, and nobody waits for one.
 */
export const test = base.extend<{ clock: FakeClock; server: TestServer & RealServer }>({
  clock: async ({}, use) => use(new FakeClock(Date.now())),
  server: async ({ data, env, clock }, use) => {
    const server = await startTestServer({
      env: { ...env, ...data },
      clock: clock.read,
      loopbackReceivers: true,
    });
    await use({
      ...server,
      firstLink: () => '',
      start: () => Promise.resolve(),
      kill: () => server.stop(),
    });
    await server.stop();
  },
});
