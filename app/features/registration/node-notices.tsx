import { SimilarNodes } from '#app/features/mesh/similar-nodes.tsx';
import { Notice } from '#app/ui/notice.tsx';
import { useSavedRegistrations } from './saved-registrations.ts';
import type { KnownNode } from './wizard-page.server.ts';

/** What the operator should know of the node before registering a name for it. */
export function NodeNotices({ node: { id, names, blocked, similar } }: { node: KnownNode }) {
  const own = useSavedRegistrations().some(
    ({ name, nodeId }) => nodeId === id && names.includes(name),
  );
  const has = (
    <>
      This node already has the active {names.length === 1 ? 'name' : 'names'}{' '}
      <strong>{names.join(', ')}</strong>
    </>
  );
  return (
    <>
      {blocked && (
        <Notice shape="blocked">
          Reviewers have blocked this node. You can still register the name, but the node’s
          heartbeats and announcements are rejected until the block is lifted.
        </Notice>
      )}
      {similar.count > 0 && (
        <Notice>
          <SimilarNodes {...similar} /> Check that this is yours: reviewers are told.
        </Notice>
      )}
      {names.length > 0 &&
        (own ? (
          <p>{has}, registered on this device. It can have more than one.</p>
        ) : (
          // It may be somebody else's.
          <Notice>
            {has}. If it isn’t yours, check the ID: reviewers are told. If it is yours, it can have
            more than one name; prove it with its key once you have registered.
          </Notice>
        ))}
    </>
  );
}
