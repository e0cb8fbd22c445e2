import { Link } from '@remix-run/react';
import type { FollowedRegistration } from '#server/registration/status.ts';
import { announceOf } from '#app/features/docs/examples.ts';
import { badgeMarkdown } from '#app/features/registry/badge.ts';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { FirstPing } from '#app/features/mesh/heartbeat-command.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { Timeline } from './timeline.tsx';

export interface ActiveProps {
  followed: FollowedRegistration;
  origin: string;
  /** Whether this server asks nodes for its secret. */
  credential: boolean;
  /** What the node sends is refused, and what it sent is not told. */
  blocked: boolean;
}

/** What makes an active name a living one: heartbeats, announces, a badge. */
export function Active({ followed, origin, credential, blocked }: ActiveProps) {
  const { registration, live } = followed;
  const { name, label, nodeId, kinds, class: size } = registration;
  const { peer = null, compute = null } = live ?? {};
  const badge = badgeMarkdown(origin, name);
  return (
    <>
      <ul className="chips next-links">
        <li>
          <Link className="button primary" to={`/registry/${name}`}>
            Page of the name
          </Link>
        </li>
        <li>
          <Link className="button" to={`/nodes/${nodeId}`}>
            Page of the node
          </Link>
        </li>
      </ul>
      <div className="panels">
        {kinds.includes('node') && !blocked && (
          <Panel title="Heartbeats of the node">
            {peer && peer.status !== 'offline' ? (
              <p>
                <Status status={peer.status} size={peer.class} /> The last one came{' '}
                <RelativeTime at={peer.lastSeen} />. There is nothing to do.
              </p>
            ) : (
              <>
                <p>
                  {peer ? (
                    <>
                      <Status status="offline" /> The last one came{' '}
                      <RelativeTime at={peer.lastSeen} />.
                    </>
                  ) : (
                    'None has come yet.'
                  )}{' '}
                  In this command, put the place of the node where <code>lat</code> and{' '}
                  <code>lng</code> are (a few kilometres more or less do not matter), and send it
                  every 20 s.
                </p>
                <FirstPing origin={origin} secret={credential} nodeId={nodeId} />
              </>
            )}
          </Panel>
        )}
        {kinds.includes('compute') && !blocked && (
          <Panel title="Announces of the compute">
            {compute && compute.status !== 'offline' ? (
              <p>
                <Status status={compute.status} /> The last one came{' '}
                <RelativeTime at={compute.lastSeen} />. It is in{' '}
                <Link to={`/computes?q=${name}`}>the directory</Link>.
              </p>
            ) : (
              <>
                <p>
                  {compute ? (
                    <>
                      <Status status="offline" /> The last one came{' '}
                      <RelativeTime at={compute.lastSeen} />.
                    </>
                  ) : (
                    'None has come yet.'
                  )}{' '}
                  Put in your image and your numbers; announce it every minute, and when its free
                  slots change.
                </p>
                <Command
                  label="Command for an announce"
                  code={announceOf({ origin, credential }, { nodeId, name, label, size })}
                />
              </>
            )}
          </Panel>
        )}
        <Panel title="A badge for your README">
          <Command label="Badge in Markdown" code={badge} />
        </Panel>
        <Panel title="What happened">
          <Timeline followed={followed} />
        </Panel>
      </div>
    </>
  );
}

function Command({ label, code }: { label: string; code: string }) {
  return (
    <div className="command">
      <pre className="code" tabIndex={0} aria-label={label}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} />
    </div>
  );
}
