import type { LoaderFunctionArgs } from '@remix-run/node';
import { refusable } from '#app/lib/refusable.server.ts';
import { searchText } from '#server/common/search-text.schema.ts';
import { SEARCH_MAX } from '#server/search/search.schema.ts';

/** GET /search?q=: nodes, names and compute offers that match. */
export const loadSearch = refusable(({ request, context: { api } }: LoaderFunctionArgs) => {
  const q = searchText(new URL(request.url).searchParams.get('q'), SEARCH_MAX);
  return api.search({ q });
});
