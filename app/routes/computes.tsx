import type { MetaFunction } from '@remix-run/node';
import { ComputesPage } from '#app/features/computes/computes-page.tsx';
import { loadComputes } from '#app/features/computes/computes-page.server.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { pageMeta } from '#app/lib/page-meta.ts';

export const loader = loadComputes;

export { unlessComplete as shouldRevalidate } from '#app/features/live/use-live.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  pageMeta(
    'Compute directory',
    'Available compute in the network: live offers with their free slots, image, class and node.',
    data && `${data.origin}${hrefs.computes()}`,
  );

export default ComputesPage;
