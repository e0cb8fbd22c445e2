import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SLOW } from './test/support/slow.ts';

/** What needs the build and a PostgreSQL server. */
const WITH_A_SERVICE = { globalSetup: './test/support/global-setup.ts' };

/**
 * Three projects: `npm run check` runs `unit`, `npm test` also `service`, `npm run test:more` runs `more`.
 * Separate from vite.config.ts: the Remix plugin does not work in tests.
 */
export default defineConfig({
  test: {
    // Tests wait for servers and databases some of the time: one file more than there are cores.
    maxWorkers: availableParallelism() + 1,
    // What runs beside others in a file is another process, and waiting for it.
    maxConcurrency: 10,
    // No module keeps state, so the files of a worker share the modules: a quarter less to compute.
    isolate: false,
    testTimeout: 60_000 * SLOW,
    hookTimeout: 60_000 * SLOW,
    expect: { requireAssertions: true, poll: { timeout: 10_000 * SLOW } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{app,db,packages,scripts,server}/**/*.test.ts'],
          exclude: ['**/*.database.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...WITH_A_SERVICE,
          name: 'service',
          include: [
            '{server,db}/**/*.database.test.ts',
            'test/{contract,review,pages,client}/**/*.test.ts',
            'test/*.test.ts',
          ],
        },
      },
      {
        extends: true,
        test: {
          ...WITH_A_SERVICE,
          name: 'more',
          include: ['test/{agent,backup,command,fault,peer,property,support}/**/*.test.ts'],
        },
      },
    ],
  },
});
