import { Link } from '@remix-run/react';
import type { FollowedRegistration } from '#server/registration/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { Command } from '#app/ui/command.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import styles from './node-proof.module.css';
import { Tick } from '#app/ui/status-icon.tsx';

interface NodeProofProps {
  progress: FollowedRegistration;
  /** The link of the registration’s page. */
  href: string;
}

/** Whether the node’s key has proved the registration, and how it does. Never required. */
export function NodeProof({ progress, href }: NodeProofProps) {
  const { registration, nodePinned, keyProved } = progress;
  const { status, nodeId, nodeProved = false } = registration;
  if (status === 'rejected') return null;
  return (
    <Panel
      title={nodeProved ? 'Your node' : 'Prove that the node is yours'}
      className={styles.proof}
    >
      <p role="status">
        {nodeProved && (
          <span className={styles.proved}>
            <Tick />
            Proved by the key of <code>{nodeId}</code>
          </span>
        )}
      </p>
      {nodeProved ? (
        <p className={text.secondary}>
          {nodePinned
            ? 'Nobody without the key can send heartbeats or announcements for your node.'
            : status === 'active'
              ? 'Prove the node’s other names too: then nobody without the key can send heartbeats or announcements for it.'
              : 'Once the name is active, nobody without the key can send heartbeats or announcements for your node.'}{' '}
          If you lose this page’s link,{' '}
          <code className={styles.command}>mesh-agent register --list</code> finds the registration
          again.
        </p>
      ) : keyProved ? (
        <p>
          A key has proved this registration, but what the node sends isn’t signed by it, or it
          sends nothing now. Run <code className={styles.command}>mesh-agent run</code> with that
          key for <code>{nodeId}</code>.{' '}
          <span className="needs-scripts">
            This page updates once its heartbeats have arrived for a minute.
          </span>
          <span className="without-scripts">Reload this page a minute later.</span>
        </p>
      ) : (
        <>
          <p>
            Optional.{' '}
            {status === 'active'
              ? 'Once your node’s key has proved all of its active names, nobody without it can send heartbeats or announcements for the node.'
              : 'It shows reviewers that the name is for your own node. Once the name is active, nobody without your node’s key can send heartbeats or announcements for it.'}{' '}
            Run this where <Link to={hrefs.docs.operators()}>mesh-agent</Link> is set up for{' '}
            <code>{nodeId}</code>:
          </p>
          <Command
            label="Command that proves the node"
            code={`mesh-agent claim ${href}`}
            copyLabel="Copy command"
          />
          <p className={text.secondary}>
            <span className="needs-scripts">This page updates once it is proved.</span>
            <span className="without-scripts">Reload this page afterwards.</span>
          </p>
        </>
      )}
    </Panel>
  );
}
