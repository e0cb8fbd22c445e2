import type { RequestContext } from '#server/entry/context.ts';
import { HistoryQuery, type HistoryDays } from '@mesh-registry/protocol/rest/history.schema.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /api/mesh/history: the network, or one node, over the last days. */
const { loader, action } = endpoint({
  GET: {
    query: HistoryQuery,
    list: ({ node }) => node === undefined,
    handle: (context, { query: { node, days } }) =>
      node === undefined ? context.services.uptime.network(days) : nodeHistory(context, node, days),
  },
});
export { loader, action };

/** Reads the database, unlike the network. */
async function nodeHistory(
  { services, limits, client }: RequestContext,
  node: string,
  days: HistoryDays,
): Promise<object> {
  limits.countLookup(client());
  return services.uptime.node(node, days);
}
