import type { LoaderFunctionArgs } from '@remix-run/node';
import { refusable } from '#app/lib/refusable.server.ts';
import type { MeshList } from '#server/mesh/index.ts';
import {
  isAsJoined,
  isFiltered,
  NO_FILTER,
  parseMeshQuery,
} from '#server/mesh/mesh-query.schema.ts';
import type { Services } from '#server/services.ts';
import { listedPart } from './use-mesh-list.ts';
import { SELECTED_LIMIT } from './use-selection.ts';

/** The data of the page `/`: where the event stream continues, counts, a page of the list, and what the URL selects. */
export const loadMesh = refusable(async ({ request, context }: LoaderFunctionArgs) => {
  const { services, limits, client, origin } = context;
  const query = parseMeshQuery(new URL(request.url).searchParams);
  const { mesh } = services;
  if (query.at) limits.countScan(client(), 'nodesAt', mesh.size());
  // Its days may come from the database.
  if (query.node) limits.countLookup(client());
  const { page, limit, ...order } = listedPart(query);
  const isPlain = isAsJoined(order);
  if (isPlain && isFiltered(query)) limits.countScan(client(), 'nodes', mesh.size());
  const { newest, ...list } = await withPosition(services, () =>
    isPlain
      ? mesh.list(query, page, limit)
      : mesh.listInOrder(query, order, page, limit, (nodes) =>
          limits.countScan(client(), 'nodesInOrder', nodes),
        ),
  );
  return {
    ...list,
    // Each page has them in its HTML twice, so only what the rail says of them.
    newest: newest.map(({ id, label, region, joinedAt }) => ({ id, label, region, joinedAt })),
    checks: mesh.genesis.checks().latencies,
    selected: mesh.selected(query, SELECTED_LIMIT),
    life: { beats: mesh.beats(), growth: services.uptime.growth() },
    summary: query.node === null ? null : await services.nodes.summary(query.node),
    service: { origin: origin(), secret: services.config.webhookSecrets.length > 0 },
  };
});

/** The data of the page `/embed`: where the event stream continues, and counts of all nodes. */
export async function loadEmbed({ context: { services } }: LoaderFunctionArgs) {
  const { cursor, grid, facets, page, head } = await withPosition(services, () =>
    services.mesh.list(NO_FILTER, 1, 1),
  );
  return { cursor, grid, facets, page, head };
}

async function withPosition({ mesh, config }: Services, ask: () => MeshList | Promise<MeshList>) {
  // The position comes before the list, so that the stream, which continues from it, misses no change.
  const cursor = mesh.placesCursor();
  const { head, ...list } = await ask();
  const { genesis, coordinateGrid: grid } = config;
  return { cursor, ...list, head: { ...head, genesisPlaced: genesis.placed }, grid };
}
