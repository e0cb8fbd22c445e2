import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { MeshPage } from '#app/features/mesh/mesh-page.tsx';
import { LIST_LIMIT } from '#app/features/mesh/use-mesh-list.ts';
import { SELECTED_LIMIT } from '#app/features/mesh/use-selection.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { pageMeta } from '#app/lib/page-meta.ts';
import { parseMeshQuery } from '#server/mesh/mesh-query.schema.ts';

export function loader({ request, context: { services, origin } }: LoaderFunctionArgs) {
  const query = parseMeshQuery(new URL(request.url).searchParams);
  // The position comes before the list, so that the stream, which continues from it, misses no change.
  const cursor = services.mesh.placesCursor();
  const { head, ...list } = services.mesh.list(query, query.page, LIST_LIMIT);
  const { webhookSecrets, coordinateGrid, genesis } = services.config;
  return {
    cursor,
    ...list,
    head: { ...head, genesisPlaced: genesis.placed },
    selected: services.mesh.selected(query, SELECTED_LIMIT),
    service: { origin: origin(), secret: webhookSecrets.length > 0 },
    grid: coordinateGrid,
  };
}

export { unlessComplete as shouldRevalidate } from '#app/features/live/use-live.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  pageMeta(
    'Live map',
    'All nodes of the mesh on a live map and in a list, with status, class, region and last heartbeat.',
    data && `${data.service.origin}${hrefs.map()}`,
  );

export default function Index() {
  return <MeshPage loaded={useLoaderData<typeof loader>()} />;
}
