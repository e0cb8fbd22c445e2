import { vitePlugin as remix } from '@remix-run/dev';
import { defineConfig } from 'vite';
import { goWhereClicked } from './app/lib/remix-workarounds/go-where-clicked.ts';

declare module '@remix-run/node' {
  interface Future {
    v3_singleFetch: true;
  }
}

/**
 * What every page loads comes in two files instead of up to twenty small ones: the libraries, which seldom change, and
 * our own parts that most pages share. Each page's own code, and what only some load, is split as usual.
 */
function chunkOf(id: string): string | undefined {
  if (
    /\/node_modules\/(react|react-dom|react-router|react-router-dom|scheduler|@remix-run|turbo-stream)\//.test(
      id,
    )
  )
    return 'libraries';
  if (
    /\/(changes-button|command-box|data-table|day-chart|filter-bar|filter-sheet|kind-icon|menu|multiples|near-image|qr-image|radio-group|secret-note|sheet|spark|term|tray)(\.module\.css|\.tsx)$/.test(
      id,
    )
  )
    return undefined;
  // What a named chunk depends on joins it, unless it has a name itself: the public addresses lead to these.
  if (id.endsWith('/review-hrefs.ts')) return 'review-hrefs';
  if (/\/app\/ui\/.*\.module\.css$/.test(id)) return 'shared';
  if (
    /\/app\/(ui|lib|lib\/remix-workarounds)\/[\w-]+\.tsx?$/.test(id) &&
    !/\/(chart-scale|day-picker|page-refresh|polling|sheet-heights|stale-while-offline|fact-list|figures|form|glossary|pagination|search-field|segmented|state-bar|use-details|steady-rows|use-steady-rows|verdict|use-virtual-rows|kind-shapes|live-region|use-form-result|[\w-]+\.client)\.tsx?$/.test(
      id,
    )
  )
    return 'shared';
  return undefined;
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
  build: {
    target: 'es2022',
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
