import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { EmbedError } from '#app/features/mesh/embed/embed-error.tsx';
import { EmbedPage } from '#app/features/mesh/embed/embed-page.tsx';
import type { PageHandle } from '#app/lib/page-handle.ts';
import { pageMeta } from '#app/lib/page-meta.ts';
import { NO_FILTER } from '#server/mesh/mesh-query.schema.ts';

/** The only page that other sites may frame. It needs no cookie, and nothing on it can be changed. */
export const handle: PageHandle = { frameable: true };

export function loader({ context: { services } }: LoaderFunctionArgs) {
  // The position comes before the counts, so that the stream, which continues from it, misses no change.
  const cursor = services.mesh.placesCursor();
  const { head, facets, page } = services.mesh.list(NO_FILTER, 1, 1);
  const { genesis, coordinateGrid } = services.config;
  return {
    cursor,
    grid: coordinateGrid,
    facets,
    page,
    head: { ...head, genesisPlaced: genesis.placed },
  };
}

export { unlessComplete as shouldRevalidate } from '#app/features/live/use-live.ts';

export const meta: MetaFunction = () => [
  ...pageMeta('Map', 'All nodes of the mesh on a live map.'),
  { name: 'robots', content: 'noindex' },
];

export default function Embed() {
  return <EmbedPage loaded={useLoaderData<typeof loader>()} />;
}

export { EmbedError as ErrorBoundary };
