import type { MetaFunction } from '@remix-run/node';
import { loadMesh } from '#app/features/mesh/mesh-page.server.ts';
import { MeshPage } from '#app/features/mesh/mesh-page.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import type { PageHandle } from '#app/lib/page-handle.ts';
import { pageMeta } from '#app/lib/page-meta.ts';

export const handle: PageHandle = { shared: true };

export const loader = loadMesh;

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';
export { unlessSame as shouldRevalidate } from '#app/features/mesh/same-data.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  pageMeta(
    'Live map',
    'All nodes of the mesh on a live map and in a list, with status, class, region and last heartbeat.',
    data && `${data.service.origin}${hrefs.map()}`,
  );

export default MeshPage;
