import type { MetaFunction } from '@remix-run/node';
import { EmbedError, EmbedPage } from '#app/features/mesh/embed/embed-page.tsx';
import { loadEmbed } from '#app/features/mesh/mesh-page.server.ts';
import type { PageHandle } from '#app/lib/page-handle.ts';
import { pageMeta } from '#app/lib/page-meta.ts';

/** The only page that other sites may frame. It needs no cookie, and nothing on it can be changed. */
export const handle: PageHandle = { frameable: true, shared: true };

export const loader = loadEmbed;

export { unlessComplete as shouldRevalidate } from '#app/features/live/use-live.ts';

export const meta: MetaFunction = () => [
  ...pageMeta('Map', 'All nodes of the mesh on a live map.'),
  { name: 'robots', content: 'noindex' },
];

export default EmbedPage;

export { EmbedError as ErrorBoundary };
