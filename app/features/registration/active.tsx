import { Link } from '@remix-run/react';
import { useState, type ReactNode } from 'react';
import { announceOf } from '#app/features/docs/examples.ts';
import { HeartbeatCommand } from '#app/features/mesh/heartbeat-command.tsx';
import { badgeMarkdown, nameStatus } from '#app/features/registry/badge.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useNetwork } from '#app/lib/network.tsx';
import button from '#app/ui/button.module.css';
import { Command } from '#app/ui/command.tsx';
import { CopyIcon, DoneIcon } from '#app/ui/icons.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { SecretNote } from '#app/ui/secret-note.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import type { RegistrationState } from './confirm-form.tsx';
import { byHand, useCopying } from './copying.ts';
import styles from './active.module.css';
import folds from './folds.module.css';
import pay from './pay.module.css';
import { States } from './states.tsx';

/** The states of what the name belongs to. */
export function ActiveStates({ progress: { registration, live } }: RegistrationState) {
  const { kinds, nodeId } = registration;
  const peer = live?.peer;
  const compute = live?.compute;
  return (
    <States
      label="Status"
      states={[
        kinds.includes('node')
          ? {
              icon: <StateGlyph state={peer?.status ?? 'unknown'} size={20} />,
              of: 'Node',
              title: peer ? capital(peer.status) : 'Not heard from yet',
              text: peer ? (
                <>
                  <Link to={hrefs.node(nodeId)}>{peer.label}</Link>, last heartbeat{' '}
                  <RelativeTime at={peer.lastSeen} />.
                </>
              ) : (
                'It appears on the map with its first heartbeat.'
              ),
            }
          : null,
        kinds.includes('compute')
          ? {
              icon: <StateGlyph state={compute?.status ?? 'unknown'} size={20} />,
              of: 'Compute offer',
              title: compute ? capital(compute.status) : 'Not announced yet',
              text: compute ? (
                <>
                  Last announced <RelativeTime at={compute.lastSeen} />.
                </>
              ) : (
                'It is listed with its first announcement.'
              ),
            }
          : null,
      ]}
    />
  );
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** What to do with an active name; what is done ticks by itself. Of a blocked node, its own steps are left out. */
export function Active(state: RegistrationState) {
  const { progress, origin, credential } = state;
  const { name: network } = useNetwork();
  const { live, registration, nodeBlocked } = progress;
  const { id, name, nodeId, kinds, label, class: size } = registration;
  const peer = live?.peer;
  const online = peer !== undefined && peer !== null && peer.status !== 'offline';
  const compute = live?.compute;
  const announced = compute !== undefined && compute !== null && compute.status !== 'offline';
  const page = `${origin}${hrefs.name(name)}`;
  const steps: StepProps[] = [];
  if (kinds.includes('node') && !nodeBlocked)
    steps.push({
      title: 'Node on the map',
      done: online,
      text: online
        ? 'It appears under its name.'
        : 'Enter its approximate location, and run this every 20 s.',
      action: (
        <Link className={button.button} to={hrefs.node(nodeId)}>
          View node
        </Link>
      ),
      more: !online && (
        <HeartbeatCommand service={{ origin, secret: credential }} nodeId={nodeId} />
      ),
    });
  if (kinds.includes('compute') && !nodeBlocked)
    steps.push({
      title: 'Announce the compute offer',
      done: announced,
      text: announced ? (
        'It is listed in the directory.'
      ) : (
        <>
          On {peer?.label ?? nodeId}, add this to config.toml. mesh-agent then announces it every
          minute.
        </>
      ),
      action: announced && (
        <Link className={button.button} to={hrefs.computes(`?q=${name}`)}>
          View offer
        </Link>
      ),
      more: !announced && (
        <>
          <Command label="Part of the configuration of mesh-agent" code={offerOf(name)} />
          <details className={folds.quiet}>
            <summary>With curl instead</summary>
            <SecretNote />
            <Command
              label="Command that announces the compute offer"
              code={announceOf({ origin, credential }, { nodeId, name, label, size })}
              copyLabel="Copy command"
            />
          </details>
        </>
      ),
    });
  steps.push(
    {
      title: 'Share the page',
      copies: { text: page, label: 'Copy link', shown: page.replace(/^https?:\/\//, '') },
    },
    {
      title: 'Add the badge to your README',
      copies: {
        text: badgeMarkdown({ origin, network }, name),
        label: 'Copy Markdown',
        shown: (
          <img
            src={hrefs.badge(name)}
            height="20"
            alt={`Badge: ${name}, ${nameStatus(live?.entry ?? null).text}`}
          />
        ),
      },
    },
    {
      title: 'Get notified',
      done: false,
      text: 'A message to your webhook or ntfy topic when your node goes offline.',
      action: (
        <Link className={button.button} to={hrefs.notifications(id)}>
          Set up
        </Link>
      ),
    },
  );
  return (
    <>
      <h2>What next</h2>
      <ol className={styles.steps}>
        {steps.map((step, index) =>
          step.copies ? (
            <CopyStep key={step.title} {...step} copies={step.copies} number={index + 1} />
          ) : (
            <Step key={step.title} {...step} number={index + 1} />
          ),
        )}
      </ol>
    </>
  );
}

const offerOf = (name: string) => `[[compute]]\nname = "${name}"\nreplicas = 4\nfree_slots = 4`;

interface StepProps {
  title: string;
  done?: boolean;
  text?: ReactNode;
  action?: ReactNode;
  /** Below its text, over the whole width. */
  more?: ReactNode;
  /** A step that is done once its text was copied. */
  copies?: { text: string; label: string; shown: ReactNode };
}

const Step = ({
  number,
  title,
  done = false,
  text: words,
  action,
  more,
}: StepProps & { number: number }) => (
  <li className={done ? pay.done : undefined}>
    <span className={pay.number} aria-hidden>
      {done ? <DoneIcon /> : number}
    </span>
    <div>
      <h3>
        {title}
        {done && <span className="visually-hidden">, done</span>}
      </h3>
      <div className={styles.words}>{words}</div>
    </div>
    {action}
    {more && <div className={styles.more}>{more}</div>}
  </li>
);

function CopyStep({
  copies,
  ...step
}: StepProps & { number: number; copies: NonNullable<StepProps['copies']> }) {
  const [done, setDone] = useState(false);
  const { target, copied, copy } = useCopying<HTMLElement>(copies.text, () => setDone(true));
  return (
    <Step
      {...step}
      done={done}
      text={
        <>
          {copies.shown}
          {/* Without scripts, and where the clipboard is refused, it is selected and copied by hand. */}
          <code
            ref={target}
            className={`${styles.code} ${copied === 'refused' ? '' : 'without-scripts'}`}
          >
            {copies.text}
          </code>
        </>
      }
      action={
        <span className="needs-scripts">
          <button type="button" className={button.button} onClick={copy}>
            <CopyIcon />
            {copied === null ? copies.label : copied === 'copied' ? 'Copied' : byHand()}
          </button>
          <span className="visually-hidden" role="status">
            {copied === 'copied' && 'Copied'}
          </span>
        </span>
      }
    />
  );
}
