import { startTestServer, type TestServer } from '../../test/support/server.ts';
import type { RealServer } from './server.ts';
import { test as base } from './test.ts';

/** The service's clock, which stands still until the test lets time pass. */
export class StandingClock {
  #now = Date.now();
  readonly now = () => this.#now;
  /** @param ms as many milliseconds */
  pass(ms: number): void {
    this.#now += ms;
  }
}

/**
 * The server in the process of the test, where its services can be asked, and with a clock that stands still:
 * what must be done within seconds can be done on a machine that takes its time, and what comes after them
 * comes without waiting.
 */
export const test = base.extend<{ clock: StandingClock; server: TestServer & RealServer }>({
  clock: async ({}, use) => use(new StandingClock()),
  server: async ({ data, env, clock }, use) => {
    const server = await startTestServer({ env: { ...env, DATA_DIR: data }, clock: clock.now });
    await use({
      ...server,
      firstLink: () => '',
      start: () => Promise.resolve(),
      kill: () => server.stop(),
    });
    await server.stop();
  },
});
