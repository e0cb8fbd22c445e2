import { Link } from '@remix-run/react';
import { useId } from 'react';
import { UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import { SimilarNodes } from '#app/features/mesh/similar-nodes.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Field } from './fields.tsx';
import styles from './node-field.module.css';
import { Notice } from '#app/ui/notice.tsx';
import { useSavedRegistrations } from './saved-registrations.ts';
import type { TypedNode } from './wizard-page.server.ts';
import wizard from './wizard.module.css';

interface NodeFieldProps {
  name: string;
  value: string;
  typed: TypedNode | null;
  error: string | undefined;
  autoFocus: boolean;
  /** Called with the id of a node that was chosen from the list. */
  onPick: (nodeId: string) => void;
}

/** The node's id, with what is known of the node that it names. */
export function NodeField({ value, typed, onPick, ...control }: NodeFieldProps) {
  return (
    <Field
      {...control}
      label="Node ID"
      className={wizard.mono}
      defaultValue={value}
      maxLength={128}
      autoCapitalize="none"
      spellCheck={false}
      describedBy="node-notices"
      hint={
        typed && !typed.blocked ? (
          <TypedNodeHint node={typed} />
        ) : (
          'The node that sends the heartbeats or announces the compute offer. Type or paste its ID.'
        )
      }
      notices={
        <div id="node-notices" className={wizard.hint} aria-live="polite">
          {typed && <NodeNotices node={typed} />}
        </div>
      }
    >
      <OwnNodes chosen={value} onPick={onPick} />
      <details>
        <summary>How to find your node’s ID</summary>
        <p>
          It is the <code>nodeId</code> that the node sends with each heartbeat and announcement:
          look in its configuration; in that of mesh-agent it is the <code>id</code> below{' '}
          <code>[node]</code>. If it has none yet, choose one: 2–64 characters of{' '}
          <code>a-z A-Z 0-9 _ -</code>. IDs are case-sensitive.{' '}
          <Link to={hrefs.docs.operators()} target="_blank">
            How nodes report (opens in a new tab)
          </Link>
        </p>
      </details>
    </Field>
  );
}

function TypedNodeHint({ node: { reported } }: { node: TypedNode }) {
  if (reported === null)
    return 'We haven’t heard from this node yet. You can register its name now and send heartbeats later.';
  const { status, lastSeen, class: size, region } = reported;
  return (
    <>
      {status === 'offline' ? 'Offline' : 'Online'}, last heartbeat <RelativeTime at={lastSeen} />.
      It reports class {size}
      {region !== UNKNOWN_REGION && ` and region ${region}`}.
    </>
  );
}

/** What the operator should know of the node before registering a name for it. */
export function NodeNotices({ node: { id, names, blocked, similar } }: { node: TypedNode }) {
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

/**
 * The nodes of the registrations that this browser remembers. Others are never offered: they may be anybody's.
 * @param props.chosen the id in the field
 */
function OwnNodes({ chosen, onPick }: { chosen: string } & Pick<NodeFieldProps, 'onPick'>) {
  const heading = useId();
  const namesOf = new Map<string, string[]>();
  for (const { nodeId, name } of useSavedRegistrations())
    if (nodeId !== undefined) namesOf.set(nodeId, [...(namesOf.get(nodeId) ?? []), name]);
  if (namesOf.size === 0) return null;
  return (
    <div className={styles.picker}>
      <h2 id={heading}>Or choose a node you registered on this device</h2>
      <ul aria-labelledby={heading}>
        {[...namesOf].map(([nodeId, names]) => (
          <li key={nodeId}>
            <button type="button" aria-pressed={nodeId === chosen} onClick={() => onPick(nodeId)}>
              <code>{nodeId}</code>
              <span className={styles.facts}>{names.join(', ')}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
