import { Link } from '@remix-run/react';
import type { InputHTMLAttributes, ReactNode } from 'react';
import { UNKNOWN_REGION, type NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import field from '#app/ui/field.module.css';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { FieldError } from './field-error.tsx';
import { BlockedNodeNotice, NamedNodeNotice } from './node-notices.tsx';
import styles from './wizard.module.css';

/** What the service knows of a node whose id was typed. */
export interface TypedNode {
  id: string;
  /** What its heartbeats say; null if it was never heard of, or is blocked. */
  reported: { status: string; lastSeen: string; class: NodeClass; region: string } | null;
  /** Its active names. */
  names: string[];
  /** Reviewers have blocked it, so its reports are hidden. */
  blocked: boolean;
}

interface NodeFieldProps {
  value: string;
  typed: TypedNode | null;
  error: string | undefined;
  described: InputHTMLAttributes<HTMLInputElement>;
  /** Nodes to choose from. */
  children: ReactNode;
}

/** The node's id, with what is known of the node that it names. */
export function NodeField({ value, typed, error, described, children }: NodeFieldProps) {
  return (
    <div className={styles.field}>
      <label htmlFor="node">Node ID</label>
      <input
        id="node"
        className={`${field.field} ${styles.control} ${styles.mono}`}
        name="node"
        defaultValue={value}
        maxLength={128}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...described}
      />
      <p id="node-hint" className={styles.hint}>
        {typed && !typed.blocked ? (
          <TypedNodeHint node={typed} />
        ) : (
          'The node that sends the heartbeats or announces the compute offer. Type or paste its ID.'
        )}
      </p>
      <div id="node-notices" className={styles.hint} aria-live="polite">
        {typed?.blocked && <BlockedNodeNotice />}
        {typed && typed.names.length > 0 && <NamedNodeNotice id={typed.id} names={typed.names} />}
      </div>
      <FieldError id="node-problem" text={error} />
      {children}
      <details>
        <summary>How to find your node’s ID</summary>
        <p>
          It is the <code>nodeId</code> that the node sends with each heartbeat and announcement:
          look in its configuration; in that of mesh-agent it is the <code>id</code> below{' '}
          <code>[node]</code>. If it has none yet, choose one: 2–64 characters of{' '}
          <code>a-z A-Z 0-9 _ -</code>. IDs are case-sensitive.{' '}
          <Link to="/docs/operators" target="_blank">
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
