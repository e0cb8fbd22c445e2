import type { LoaderFunctionArgs } from '@remix-run/node';
import { searchText } from '#server/common/search-text.schema.ts';
import { SEARCH_MAX } from '#server/search/search.schema.ts';

/** GET /search?q=: nodes, names and compute offers that match. */
export function loadSearch({ request, context: { api } }: LoaderFunctionArgs) {
  const q = searchText(new URL(request.url).searchParams.get('q'), SEARCH_MAX);
  return api.search({ q });
}
