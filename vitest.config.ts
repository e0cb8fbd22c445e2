import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Apart from vite.config.ts: the Remix plugin has no place in tests. */
export default defineConfig({
  test: {
    include: ['{app,server,db,scripts,test}/**/*.test.ts'],
    globalSetup: './test/support/global-setup.ts',
    // Most of a test's time is waiting for servers and databases: on two cores, three at a time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // No module keeps state of its own, so the files of a worker share them: a quarter less to compute.
    isolate: false,
    // What hangs ends some time; what waits for a slow machine does not.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
