import type { MetaFunction } from '@remix-run/node';
import type { loadComputes } from '#app/features/computes/computes-page.server.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import type { PageHandle } from '#app/lib/page-handle.ts';
import { pageMeta } from '#app/lib/page-meta.ts';

export const handle: PageHandle = { shared: true };

export { ComputesPage as default } from '#app/features/computes/computes-page.tsx';
export { loadComputes as loader } from '#app/features/computes/computes-page.server.ts';
export { unlessComplete as shouldRevalidate } from '#app/features/live/use-live.ts';
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loadComputes> = ({ data }) =>
  pageMeta(
    'Compute directory',
    'Available compute in the network: live offers with their free slots, image, class and node.',
    data && `${data.origin}${hrefs.computes()}`,
  );
