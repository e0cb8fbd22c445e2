import type { PeerRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { ChangeStream } from '#server/live/index.ts';
import type { MeshHead, Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { peerStatus, presentPeer } from './peer.ts';
import type { MeshView } from './view.ts';

/** The event stream of the mesh. */
export function meshChanges(context: ServiceContext, view: MeshView) {
  const { live } = context;
  return new ChangeStream<PeerRow, MeshHead, Peer>(context, {
    table: live.peers,
    list: view,
    headVersion: () => view.headVersion(),
    head: (now) => view.head(now),
    aged: (row, then, now) => peerStatus(row, then) !== peerStatus(row, now),
    present: (row, now) => (live.isBlocked(row.id) ? null : presentPeer(row, now)),
    wasShown: () => true,
  });
}
