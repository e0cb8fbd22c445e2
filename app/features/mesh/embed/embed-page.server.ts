import type { LoaderFunctionArgs } from '@remix-run/node';
import { NO_FILTER } from '#server/mesh/mesh-query.schema.ts';

/** The data of the page `/embed`: where the event stream continues, and counts of all nodes. */
export function loadEmbed({ context: { services } }: LoaderFunctionArgs) {
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
