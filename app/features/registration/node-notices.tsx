import { Notice } from './notice.tsx';
import { useSavedRegistrations } from './use-saved-registrations.ts';

/** Reviewers have blocked the node that is chosen. */
export const BlockedNodeNotice = () => (
  <Notice shape="blocked">
    Reviewers have blocked this node. You can still register the name, but the node’s heartbeats and
    announcements are rejected until the block is lifted.
  </Notice>
);

/** The node that is chosen has active names: it may be somebody else's. */
export function NamedNodeNotice({ id, names }: { id: string; names: string[] }) {
  const own = useSavedRegistrations().some(
    ({ name, nodeId }) => nodeId === id && names.includes(name),
  );
  const has = (
    <>
      This node already has the active {names.length === 1 ? 'name' : 'names'}{' '}
      <strong>{names.join(', ')}</strong>
    </>
  );
  if (own) return <p>{has}, registered on this device. It can have more than one.</p>;
  return (
    <Notice>
      {has}. If it isn’t yours, check the ID: reviewers are told. If it is yours, it can have more
      than one name; prove it with its key once you have registered.
    </Notice>
  );
}
