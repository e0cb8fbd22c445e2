import type { LoaderFunctionArgs } from '@remix-run/node';
import { compareKeys } from './directory-query.ts';
import { nodesOf } from './nodes-of.server.ts';

/** The data of the comparison: the chosen offers, with region, uptime and the last 30 days of their nodes. */
export async function loadComparison({ request, context }: LoaderFunctionArgs) {
  const { services, origin } = context;
  const keys = compareKeys(new URL(request.url).searchParams);
  // The position comes before the offers, so that the stream, which continues from it, misses no change.
  const cursor = services.computes.cursor();
  const { head, offers } = services.computes.find(keys);
  const listed = offers.filter((offer) => offer !== null);
  const [nodeOf, strips] = await Promise.all([
    services.nodes.ofOffers(),
    services.uptime.monthStrips(listed.map(({ nodeId }) => nodeId)),
  ]);
  return {
    cursor,
    head,
    keys,
    /** In the order of `keys`; null for an offer that isn't listed. */
    offers,
    nodes: nodesOf(listed, nodeOf),
    strips: Object.fromEntries(strips),
    origin: origin(),
  };
}
