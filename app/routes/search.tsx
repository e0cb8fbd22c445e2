import type { MetaFunction } from '@remix-run/node';
import { loadSearch } from '#app/features/search/search-page.server.ts';
import { SearchPage } from '#app/features/search/search-page.tsx';
import type { PageHandle } from '#app/lib/page-handle.ts';
import { pageMeta } from '#app/lib/page-meta.ts';

export const handle: PageHandle = { shared: true };

export const loader = loadSearch;

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  ...pageMeta(
    data?.q ? `Search: ${data.q}` : 'Search',
    'Search the nodes, names and compute offers of the mesh.',
  ),
  { name: 'robots', content: 'noindex' },
];

export default SearchPage;
