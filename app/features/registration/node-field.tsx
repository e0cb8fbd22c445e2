import { Link } from '@remix-run/react';
import { useId, type InputHTMLAttributes } from 'react';
import { UNKNOWN_REGION, type NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import field from '#app/ui/field.module.css';
import { RelativeTime } from '#app/ui/moment.tsx';
import { FieldError } from './form-parts.tsx';
import styles from './node-field.module.css';
import { Notice } from './notice.tsx';
import { useSavedRegistrations } from './saved-registrations.ts';
import wizard from './wizard.module.css';

/** What the service knows of a node whose id was typed. */
export interface TypedNode {
  id: string;
  /** What its heartbeats say; null if it was never heard of, or is blocked. */
  reported: { status: string; lastSeen: string; class: NodeClass; region: string } | null;
  /** Its active names. */
  names: string[];
  /** Whether reviewers have blocked it; its reports are hidden then. */
  blocked: boolean;
}

interface NodeFieldProps {
  value: string;
  typed: TypedNode | null;
  error: string | undefined;
  described: InputHTMLAttributes<HTMLInputElement>;
  /** Called with the id of a node that was chosen from the list. */
  onPick: (nodeId: string) => void;
}

/** The node's id, with what is known of the node that it names. */
export function NodeField({ value, typed, error, described, onPick }: NodeFieldProps) {
  return (
    <div className={wizard.field}>
      <label htmlFor="node">Node ID</label>
      <input
        id="node"
        className={`${field.field} ${wizard.control} ${wizard.mono}`}
        name="node"
        defaultValue={value}
        maxLength={128}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...described}
      />
      <p id="node-hint" className={wizard.hint}>
        {typed && !typed.blocked ? (
          <TypedNodeHint node={typed} />
        ) : (
          'The node that sends the heartbeats or announces the compute offer. Type or paste its ID.'
        )}
      </p>
      <div id="node-notices" className={wizard.hint} aria-live="polite">
        {typed?.blocked && <BlockedNodeNotice />}
        {typed && typed.names.length > 0 && <NamedNodeNotice id={typed.id} names={typed.names} />}
      </div>
      <FieldError id="node-problem" text={error} />
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
    </div>
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

/** For a node that reviewers have blocked. */
export const BlockedNodeNotice = () => (
  <Notice shape="blocked">
    Reviewers have blocked this node. You can still register the name, but the node’s heartbeats and
    announcements are rejected until the block is lifted.
  </Notice>
);

/** For a node with active names: it may be somebody else's. */
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

interface OwnNodesProps {
  /** The id in the field. */
  chosen: string;
  onPick: (nodeId: string) => void;
}

/** The nodes of the registrations that this browser remembers. Others are never offered: they may be anybody's. */
function OwnNodes({ chosen, onPick }: OwnNodesProps) {
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
