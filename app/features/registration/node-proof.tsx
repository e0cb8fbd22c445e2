import { Link } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import { Command } from '#app/ui/command.tsx';
import text from '#app/ui/text.module.css';
import type { RegistrationState } from './confirm-form.tsx';
import styles from './node-proof.module.css';

/** What the row of {@link NodeProof} says. */
export function proofTitle({ progress, node }: Pick<RegistrationState, 'progress' | 'node'>) {
  const { registration, nodePinned } = progress;
  const { nodeId, nodeProved = false } = registration;
  return nodeProved
    ? { title: 'Node key', sub: nodePinned ? 'proved, and the ID is pinned to it' : 'proved' }
    : { title: `Prove that ${node?.label ?? nodeId} is yours`, sub: 'optional, with its key' };
}

/** Whether the node’s key has proved the registration, and how it does. Never required. */
export function NodeProof({ progress, href }: Pick<RegistrationState, 'progress' | 'href'>) {
  const { registration, nodePinned, keyProved } = progress;
  const { status, nodeId, nodeProved = false } = registration;
  if (nodeProved)
    return (
      <>
        <p>
          Proved by the key of <code>{nodeId}</code>.{' '}
          {nodePinned
            ? 'Nobody without the key can send heartbeats or announcements for your node.'
            : status === 'active'
              ? 'Prove the node’s other names too: then nobody without the key can send heartbeats or announcements for it.'
              : 'Once the name is active, nobody without the key can send heartbeats or announcements for your node.'}
        </p>
        <p>
          If you lose this page’s link,{' '}
          <code className={styles.command}>mesh-agent register --list</code> finds the registration
          again.
        </p>
      </>
    );
  if (keyProved)
    return (
      <p>
        A key has proved this registration, but what the node sends isn’t signed by it, or it sends
        nothing now. Run <code className={styles.command}>mesh-agent run</code> with that key for{' '}
        <code>{nodeId}</code>.{' '}
        <span className="needs-scripts">
          This page updates once its heartbeats have arrived for a minute.
        </span>
        <span className="without-scripts">Reload this page a minute later.</span>
      </p>
    );
  return (
    <>
      <p>
        {status === 'active'
          ? 'Once your node’s key has proved all of its active names, nobody without it can send heartbeats or announcements for the node.'
          : 'It shows reviewers that the name is for your own node. Once the name is active, nobody without its key can send heartbeats or announcements for it.'}{' '}
        Run this where <Link to={hrefs.docs.operators()}>mesh-agent</Link> is set up for{' '}
        <code>{nodeId}</code>:
      </p>
      <Command
        label="Command that proves the node"
        code={`mesh-agent claim ${href}`}
        copyLabel="Copy command"
        wrapped
      />
      <p className={text.secondary}>
        <span className="needs-scripts">This page updates once it is proved.</span>
        <span className="without-scripts">Reload this page afterwards.</span>
      </p>
    </>
  );
}
