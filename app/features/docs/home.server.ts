import type { LoaderFunctionArgs } from '@remix-run/node';
import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { PEER_STATUSES, type PeerStatus } from '@mesh-registry/protocol/values.schema.ts';

/** So many nodes are dots on the small map. */
const DOTS = 100;

/** GET /docs: live figures, all from memory. */
export async function loadHome({ context }: LoaderFunctionArgs) {
  const { api, services } = context;
  const { facets, peers } = await api.mesh.list({ limit: DOTS });
  return {
    counts: facets.status,
    dots: dotsOf(peers),
    beats: services.mesh.beats(),
    feeUsd: (services.config.feeCents / 100).toFixed(2),
  };
}

/** Places of nodes on a map of 150 × 94, as the path of each status. */
function dotsOf(peers: Peer[]): Partial<Record<PeerStatus, string>> {
  const dots = PEER_STATUSES.map((status) => {
    const places = new Set(
      peers
        .filter((peer) => peer.status === status)
        .map(({ lat, lng }) => `M${Math.round(75 + lng / 2.5)} ${Math.round(52 - lat / 1.8)}h0`),
    );
    return [status, [...places].join('')] as const;
  });
  return Object.fromEntries(dots.filter(([, path]) => path !== ''));
}
