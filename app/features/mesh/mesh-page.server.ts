import type { LoaderFunctionArgs } from '@remix-run/node';
import { parseMeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { LIST_LIMIT } from './use-mesh-list.ts';
import { SELECTED_LIMIT } from './use-selection.ts';

/** The data of the page `/`: where the event stream continues, counts, a page of the list, and what the URL selects. */
export function loadMesh({ request, context: { services, origin } }: LoaderFunctionArgs) {
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
