import { hash } from 'node:crypto';
import { relative } from 'node:path';

/**
 * Which files of the pages are sent together. The bundler would make a file of whatever the same pages share, some of
 * 100 bytes under 500 of headers, and compressed apart. A page's own code stays apart. What a named chunk imports
 * joins it, unless it is named itself.
 */

/** Paths without their ends: a component's styles go with it. */
export const CHUNKS: Readonly<Record<string, readonly string[]>> = {
  /** What most pages need, and small styles: in a file of their own their headers would be larger. */
  shared: [
    'app/features/live/connection-status',
    'app/features/uptime/uptime-strip.module',
    'app/lib/any-signal',
    'app/lib/formatters',
    'app/lib/open-page.client',
    'app/lib/page-meta',
    'app/lib/page-refresh',
    'app/lib/polling',
    'app/lib/service-away',
    'app/lib/stale-while-offline',
    'app/lib/use-debounced-url',
    'app/lib/while-visible',
    'app/root',
    'app/styles/base',
    'app/ui/button',
    'app/ui/card',
    'app/ui/chips',
    'app/ui/command',
    'app/ui/error-page',
    'app/ui/facts',
    'app/ui/field',
    'app/ui/filter-bar.module',
    'app/ui/follow-link',
    'app/ui/icons',
    'app/ui/kind-icon',
    'app/ui/kind-shapes',
    'app/ui/moment',
    'app/ui/page',
    'app/ui/pagination.module',
    // The search in the header looks as the fields of lists.
    'app/ui/search-field.module',
    'app/ui/secret-note.module',
    'app/ui/section',
    'app/ui/segmented',
    'app/ui/site-footer',
    'app/ui/site-header',
    'app/ui/spark.module',
    'app/ui/status-icon',
    'app/ui/term.module',
    'app/ui/text',
    'server/common/list-url.schema',
  ],
  /** Filters and pages of lists, and what says that they changed. */
  lists: [
    'app/ui/changes-button',
    'app/ui/filter-bar',
    'app/ui/pagination',
    'app/ui/search-field',
    'app/ui/use-details',
  ],
  table: ['app/features/uptime/uptime-share', 'app/lib/use-steady-rows', 'app/ui/data-table'],
  /** What is said of a node or a name in lists and beside the map. */
  nodes: [
    'app/features/mesh/node-facts',
    'app/features/uptime/uptime-strip',
    'app/features/uptime/uptime-text',
    'app/ui/region',
  ],
  /** What is said first on the page of one thing. */
  facts: [
    'app/features/mesh/similar-nodes',
    'app/ui/columns.module',
    'app/ui/fact-list',
    'app/ui/figures',
    'app/ui/notice',
    'app/ui/verdict',
  ],
  commands: ['app/features/mesh/heartbeat-command', 'app/ui/secret-note'],
  charts: ['app/ui/chart-scale', 'app/ui/chart-text', 'app/ui/spark'],
  documents: [
    'app/features/docs/definition-list',
    'app/features/docs/docs-layout',
    'app/features/docs/section',
    'app/ui/command-box',
  ],
  /** The page of the documents shows all of it, without what explains a word where it stands. */
  glossary: ['app/lib/glossary'],
  terms: ['app/ui/term'],
  /** Both pages of a registration. */
  registration: [
    'app/features/registration/flow',
    'app/features/registration/not-found',
    'app/features/registration/progress',
    'app/features/registration/saved-registrations-list',
  ],
  /** The rows of the network as they change. */
  live: ['app/features/live/live-store', 'app/features/live/use-live', 'server/mesh/places.schema'],
  /** What may be asked of the map: the page that explains how to embed it has it too. */
  query: ['app/features/mesh/embed/embed-query', 'server/mesh/mesh-query.schema'],
  /** The map, on its page and embedded. */
  map: [
    'app/features/mesh/map/map-view',
    'app/features/mesh/map/pulse.module',
    'app/features/mesh/use-mesh-list',
  ],
};

const LIBRARIES =
  /\/node_modules\/(react|react-dom|react-router|react-router-dom|scheduler|@remix-run|turbo-stream)\//;
const NAMED = new Map(
  Object.entries(CHUNKS).flatMap(([chunk, paths]) => paths.map((path) => [path, chunk] as const)),
);

export function chunkOf(id: string): string | undefined {
  if (LIBRARIES.test(id)) return 'libraries';
  const [, path = ''] = /\/((?:app|server)\/.+)\.(?:tsx?|css)$/.exec(id) ?? [];
  return NAMED.get(path) ?? NAMED.get(path.replace(/\.module$/, ''));
}

/**
 * A class of a component, the same in the build for browsers and in the server's. Three random characters tell
 * components apart: of as many as the bundler's own seven each page would send a kilobyte.
 */
export function shortClass(name: string, file: string): string {
  const path = relative(import.meta.dirname, file.replace(/\?.*/, ''));
  return `${name}_${hash('sha256', path, 'base64url').slice(0, 3)}`;
}
