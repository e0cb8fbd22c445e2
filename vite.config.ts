import { vitePlugin as remix } from '@remix-run/dev';
import { defineConfig } from 'vite';

declare module '@remix-run/node' {
  interface Future {
    v3_singleFetch: true;
  }
}

export default defineConfig(({ isSsrBuild, command }) => ({
  plugins: [
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
  build: {
    target: 'es2022',
    sourcemap: false,
    rollupOptions: {
      output: {
        // The styles of app/ui are one file, which every page shares, instead of up to twelve small ones.
        ...(!isSsrBuild && {
          manualChunks: (id) => (/\/app\/ui\/.*\.module\.css$/.test(id) ? 'ui' : undefined),
        }),
      },
    },
  },
}));
