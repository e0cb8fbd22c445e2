import type { MetaFunction } from '@remix-run/node';
import type { loadRegistry } from '#app/features/registry/registry-page.server.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import type { PageHandle } from '#app/lib/page-handle.ts';
import { feedLink, pageMeta } from '#app/lib/page-meta.ts';

export const handle: PageHandle = { shared: true };

export { loadRegistry as loader } from '#app/features/registry/registry-page.server.ts';
export { RegistryPage as default } from '#app/features/registry/registry-page.tsx';
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loadRegistry> = ({ data }) => [
  ...pageMeta(
    'Registry',
    'Every active name of the mesh, with the current state of its node and its compute offer.',
    data && `${data.origin}${hrefs.registry()}`,
  ),
  feedLink('New names', hrefs.newNamesFeed()),
];
