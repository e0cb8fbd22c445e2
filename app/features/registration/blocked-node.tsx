import type { ReactNode } from 'react';

/** A sentence about a node that reviewers have blocked: a warning, no mistake. */
export function BlockedNode({ children }: { children: ReactNode }) {
  return (
    <p className="node-blocked">
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden>
        <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" strokeWidth="1.75" />
        <path d="M3.5 12.5l9-9" stroke="currentColor" strokeWidth="1.75" />
      </svg>
      <span>{children}</span>
    </p>
  );
}

/** Where a node is chosen. */
export const BlockedChoice = () => (
  <BlockedNode>
    The reviewers have blocked this node. You can register the name all the same, but heartbeats and
    announces of the node are refused until the block is lifted.
  </BlockedNode>
);
