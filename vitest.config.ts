import { defineConfig } from 'vitest/config';

/** Apart from vite.config.ts: the Remix plugin has no place in tests. */
export default defineConfig({
  test: {
    include: ['{app,server,db,scripts,test}/**/*.test.ts'],
    globalSetup: './test/support/global-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
