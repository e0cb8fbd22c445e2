import { Link } from '@remix-run/react';
import { announceOf } from '#app/features/docs/examples.ts';
import { HeartbeatCommand } from '#app/features/mesh/heartbeat-command.tsx';
import { badgeMarkdown } from '#app/features/registry/badge.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useNetwork } from '#app/lib/network.tsx';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { Command } from '#app/ui/command.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { SecretNote } from '#app/ui/secret-note.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import type { RegistrationState } from './confirm-form.tsx';
import styles from './registration-page.module.css';
import { Timeline } from './timeline.tsx';

/** The name is active: what its node sends now, and a badge. Of a node that reviewers have blocked, heartbeats and offer are left out. */
export function Active(state: RegistrationState) {
  const { progress, origin } = state;
  const { name: network } = useNetwork();
  const { name, nodeId, kinds } = progress.registration;
  return (
    <>
      <ul className={`${chips.chips} ${styles.links}`}>
        <li>
          <Link className={button.primary} to={hrefs.name(name)}>
            View name
          </Link>
        </li>
        <li>
          <Link className={button.button} to={hrefs.node(nodeId)}>
            View node
          </Link>
        </li>
      </ul>
      <div className={styles.panels}>
        {kinds.includes('node') && !progress.nodeBlocked && <Heartbeats {...state} />}
        {kinds.includes('compute') && !progress.nodeBlocked && <Announcements {...state} />}
        <Panel title="Badge for your README">
          <Command label="Badge in Markdown" code={badgeMarkdown({ origin, network }, name)} />
        </Panel>
        <Panel title="History">
          <Timeline progress={progress} />
        </Panel>
      </div>
    </>
  );
}

function Heartbeats({ progress: { registration, live }, origin, credential }: RegistrationState) {
  const peer = live?.peer;
  const online = peer && peer.status !== 'offline';
  return (
    <Panel title="Heartbeats">
      <p>
        {peer ? (
          <>
            <Status status={peer.status} />, last heartbeat <RelativeTime at={peer.lastSeen} />.
          </>
        ) : (
          'We haven’t heard from this node yet.'
        )}{' '}
        {!online && (
          <>
            Enter its approximate location as <code>lat</code> and <code>lng</code>, and run this
            every 20 s:
          </>
        )}
      </p>
      {!online && (
        <HeartbeatCommand service={{ origin, secret: credential }} nodeId={registration.nodeId} />
      )}
    </Panel>
  );
}

function Announcements({ progress, origin, credential }: RegistrationState) {
  const { name, label, nodeId, class: size } = progress.registration;
  const compute = progress.live?.compute;
  const online = compute && compute.status !== 'offline';
  return (
    <Panel title="Compute offer">
      <p>
        {compute ? (
          <>
            <Status status={compute.status} />, last announced{' '}
            <RelativeTime at={compute.lastSeen} />.
          </>
        ) : (
          'It hasn’t been announced yet.'
        )}{' '}
        {online ? (
          <>
            It is listed in <Link to={hrefs.computes(`?q=${name}`)}>the directory</Link>.
          </>
        ) : (
          'Enter your image and numbers. Announce it every minute, and whenever its free slots change:'
        )}
      </p>
      {!online && (
        <>
          <SecretNote />
          <Command
            label="Command that announces the compute offer"
            code={announceOf({ origin, credential }, { nodeId, name, label, size })}
          />
        </>
      )}
    </Panel>
  );
}
