import type { RequestContext } from '#server/entry/context.ts';
import { AppError } from '#server/common/errors.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import type { Feed } from '#app/lib/atom.server.ts';
import { outageEntries } from './outage-entries.server.ts';

/** When a node went offline and came back. @throws AppError `not_found`, `rate_limited`, `unavailable` */
export async function nodeFeed(
  { services, limits, client }: RequestContext,
  id: string,
): Promise<Feed> {
  const peer = services.mesh.peer(id);
  if (!peer) throw new AppError('not_found', 'No node with this ID is on the map.');
  await limits.countLookup(client());
  const page = hrefs.node(id);
  const subject = peer.label === id ? id : `${peer.label} (${id})`;
  return {
    title: `${subject} · Mesh Registry`,
    subtitle: `When this node went offline and came back.`,
    path: hrefs.nodeFeed(id),
    page,
    since: peer.joinedAt,
    entries: outageEntries(await services.outages.ofNode(id), { id: `node/${id}`, subject, page }),
  };
}
