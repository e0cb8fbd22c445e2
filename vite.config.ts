import { vitePlugin as remix } from '@remix-run/dev';
import { defineConfig } from 'vite';
import { goWhereClicked } from './app/lib/remix-workarounds/go-where-clicked.ts';
import { chunkOf, shortClass } from './scripts/chunks.ts';

declare module '@remix-run/node' {
  interface Future {
    v3_singleFetch: true;
  }
}

export default defineConfig(({ isSsrBuild, command }) => ({
  plugins: [
    goWhereClicked(),
    remix({
      ignoredRouteFiles: ['**/*.test.*'],
      future: {
        v3_fetcherPersist: true,
        // Lazily found, every address that a page leads to is asked for ahead, in a URL that may be kept for
        // a year: ids of registrations and payment notes too. The list of all routes is 2 kB.
        v3_lazyRouteDiscovery: false,
        v3_relativeSplatPath: true,
        v3_singleFetch: true,
        v3_throwAbortReason: true,
      },
    }),
  ],
  // React as for production, also where NODE_ENV is not set: it is compiled in.
  ...(isSsrBuild && command === 'build'
    ? {
        define: { 'process.env.NODE_ENV': '"production"' },
        ssr: {
          noExternal: [/^react/, /^@tanstack\//, /^@conform-to\//, 'scheduler', '@remix-run/react'],
        },
      }
    : {}),
  css: { modules: { generateScopedName: shortClass } },
  build: {
    target: 'es2022',
    // 5 to 7 KB less at a first visit than by esbuild: of the libraries alone 3.
    ...(!isSsrBuild && {
      minify: 'terser' as const,
      terserOptions: { module: true, ecma: 2020, compress: { passes: 2 } },
    }),
    sourcemap: false,
    // scripts/build.mjs removes the last build: the packages beside it stay.
    emptyOutDir: false,
    rollupOptions: {
      output: {
        ...(!isSsrBuild && { manualChunks: chunkOf }),
      },
    },
  },
}));
