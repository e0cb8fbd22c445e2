import type { MetaFunction } from '@remix-run/node';
import type { loadComparison } from '#app/features/computes/compare-page.server.ts';
import type { PageHandle } from '#app/lib/page-handle.ts';
import { pageMeta } from '#app/lib/page-meta.ts';

export const handle: PageHandle = { shared: true };

export { ComparePage as default } from '#app/features/computes/compare-page.tsx';
export { loadComparison as loader } from '#app/features/computes/compare-page.server.ts';
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loadComparison> = ({ data }) => {
  const names = data?.keys.map((key) => key.slice(key.indexOf(':') + 1)) ?? [];
  return [
    ...pageMeta(
      names.length > 0 ? `Compare ${names.join(', ')}` : 'Compare compute offers',
      'Compute offers beside each other: free slots, replicas, uptime, image and node.',
    ),
    // Every choice of offers would be a page of its own.
    { name: 'robots', content: 'noindex' },
  ];
};
