import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { SearchPage } from '#app/features/search/search-page.tsx';
import { pageMeta } from '#app/lib/page-meta.ts';
import { searchText } from '#server/common/search-text.schema.ts';
import { SEARCH_MAX } from '#server/search/search.schema.ts';

/** GET /search?q=: nodes, names and compute offers that match. */
export function loader({ request, context: { api } }: LoaderFunctionArgs) {
  const q = searchText(new URL(request.url).searchParams.get('q'), SEARCH_MAX);
  return api.search({ q });
}

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  ...pageMeta(
    data?.q ? `Search: ${data.q}` : 'Search',
    'Search the nodes, names and compute offers of the mesh.',
  ),
  { name: 'robots', content: 'noindex' },
];

export default SearchPage;
