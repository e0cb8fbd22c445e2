import type { MetaFunction } from '@remix-run/node';
import { loadNode } from '#app/features/mesh/node-page.server.ts';
import { NodePage, nodeTitle } from '#app/features/mesh/node-page.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import type { PageHandle } from '#app/lib/page-handle.ts';
import { feedLink, pageMeta } from '#app/lib/page-meta.ts';

export const handle: PageHandle = { shared: true };

export const loader = loadNode;

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) => {
  if (!data?.known)
    return [
      ...pageMeta('Unknown node', 'A node we haven’t heard from: how to send its first heartbeat.'),
      { name: 'robots', content: 'noindex' },
    ];
  const { id, peer, genesis, service } = data;
  const label = nodeTitle(data);
  const unseen = data.blocked ? 'blocked' : data.hidden ? 'removed' : 'no heartbeat yet';
  const status = genesis?.status ?? peer?.status ?? unseen;
  return [
    ...pageMeta(
      label === id ? id : `${label} (${id})`,
      `A node of the mesh. Status: ${status}.`,
      `${service.origin}${hrefs.node(id)}`,
    ),
    ...(peer ? [feedLink(label, hrefs.nodeFeed(id))] : []),
  ];
};

export default NodePage;
