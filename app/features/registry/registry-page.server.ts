import type { LoaderFunctionArgs } from '@remix-run/node';
import { readSearch } from '#server/registry/search.schema.ts';

/** GET /registry: the active names that the URL's search and filters match, a page of them. */
export async function loadRegistry({ request, context: { services, origin } }: LoaderFunctionArgs) {
  const search = readSearch(new URL(request.url).searchParams);
  const { entries, ...found } = services.registry.search(search);
  const uptimes = await services.uptime.monthShares(entries.map(({ nodeId }) => nodeId));
  const rows = entries.map((entry) => ({ ...entry, uptime: uptimes.get(entry.nodeId) ?? null }));
  return { ...found, rows, search, origin: origin() };
}
