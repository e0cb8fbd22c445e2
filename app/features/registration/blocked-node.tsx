import type { ReactNode } from 'react';
import styles from './blocked-node.module.css';

/** A sentence about a node that reviewers have blocked: a warning, not an error. */
export function BlockedNode({ children }: { children: ReactNode }) {
  return (
    <p className={styles.notice}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden>
        <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" strokeWidth="1.75" />
        <path d="M3.5 12.5l9-9" stroke="currentColor" strokeWidth="1.75" />
      </svg>
      <span>{children}</span>
    </p>
  );
}

/** Where a node is chosen. */
export const BlockedNodeHint = () => (
  <BlockedNode>
    Reviewers have blocked this node. You can still register the name, but the node’s heartbeats and
    announcements are rejected until the block is lifted.
  </BlockedNode>
);
