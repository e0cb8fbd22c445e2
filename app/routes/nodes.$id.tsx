import { data, redirect, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { loadUptime } from '#app/features/uptime/node-uptime.server.ts';
import { whyInvalidId } from '#app/features/mesh/node-id.ts';
import { LOCATION_FRAME } from '#app/features/mesh/location-map.tsx';
import { NodePage, nodeTitle } from '#app/features/mesh/node-page.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { feedLink, pageMeta } from '#app/lib/page-meta.ts';
import { isReservedNodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';

/** GET /nodes/:id. For an unknown node it is a 404, with a page that helps to find out why. */
export async function loader({ params, context: { services, origin } }: LoaderFunctionArgs) {
  const id = params['id'] ?? '';
  if (isReservedNodeId(id) && id !== 'genesis') return redirect(hrefs.node('genesis'), 301);
  const details = services.nodes.details(id);
  const { genesis, blocked, peer, computes, names } = details;
  const known =
    genesis !== null || blocked || peer !== null || computes.length > 0 || names.length > 0;
  const { coordinateGrid, webhookSecrets, genesis: bootstrap } = services.config;
  const page = {
    ...details,
    id,
    known,
    uptime: peer ? await loadUptime(services, id) : null,
    grid: coordinateGrid,
    map: await mapOf(services, peer ?? (bootstrap.placed ? genesis : null)),
    invalid: whyInvalidId(id),
    service: { origin: origin(), secret: webhookSecrets.length > 0 },
  };
  return data(page, { status: known ? 200 : 404 });
}

type Place = { lat: number; lng: number };
const mapOf = async ({ maps }: LoaderFunctionArgs['context']['services'], at: Place | null) =>
  at && maps.around({ lat: at.lat, lng: at.lng, ...LOCATION_FRAME });

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) => {
  if (!data?.known)
    return [
      ...pageMeta('Unknown node', 'A node we haven’t heard from: how to send its first heartbeat.'),
      { name: 'robots', content: 'noindex' },
    ];
  const { id, peer, genesis, service } = data;
  const label = nodeTitle(data);
  const status = genesis?.status ?? peer?.status ?? (data.blocked ? 'blocked' : 'no heartbeat yet');
  return [
    ...pageMeta(
      label === id ? id : `${label} (${id})`,
      `A node of the mesh. Status: ${status}.`,
      `${service.origin}${hrefs.node(id)}`,
    ),
    ...(peer ? [feedLink(label, hrefs.nodeFeed(id))] : []),
  ];
};

export default function Node() {
  return <NodePage loaded={useLoaderData<typeof loader>()} />;
}
