import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Separate from vite.config.ts: the Remix plugin does not work in tests. */
export default defineConfig({
  test: {
    include: ['{agent,app,server,db,peer,shared,scripts,test}/**/*.test.ts'],
    globalSetup: './test/support/global-setup.ts',
    // Tests wait for servers and databases much of the time: one file more than there are cores.
    maxWorkers: availableParallelism() + 1,
    // What runs beside others in a file is another process, and waiting for it.
    maxConcurrency: 10,
    // No module keeps state, so the files of a worker share the modules: a quarter less to compute.
    isolate: false,
    // Long enough for a slow machine, and for a test that hangs to end.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
