import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import type { NameDetails } from '#server/registry/index.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, freeSlotsText } from '#app/lib/formatters.ts';
import card from '#app/ui/card.module.css';
import { RelativeTime } from '#app/ui/moment.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import text from '#app/ui/text.module.css';
import styles from './name-status.module.css';

export interface NameStatusProps extends Pick<NameDetails, 'peer' | 'compute'> {
  entry: RegistryEntry;
}

/** The current state of what a name belongs to: its node, its compute offer, or both. */
export function NameStatus({ entry: { name, nodeId, kinds }, peer, compute }: NameStatusProps) {
  return (
    <section className={`${card.padded} ${styles.status}`} aria-label="Status">
      {kinds.includes('node') && (
        <State
          title="Node"
          icon={peer && <StateGlyph state={peer.status} size={16} />}
          word={peer ? peer.status : 'not heard from yet'}
        >
          {peer ? (
            <>
              <Link to={hrefs.node(nodeId)}>{peer.label}</Link>, last heartbeat{' '}
              <RelativeTime at={peer.lastSeen} />
            </>
          ) : (
            <>
              We haven’t heard from this node yet, so it isn’t on the map.{' '}
              <Link to={hrefs.node(nodeId)}>View node</Link>
            </>
          )}
        </State>
      )}
      {kinds.includes('compute') && (
        <State
          title="Compute offer"
          icon={compute && <StateGlyph state={compute.status} size={16} />}
          word={compute ? compute.status : 'not announced yet'}
          figure={compute && compute.status !== 'offline' && freeSlotsText(compute.freeSlots)}
        >
          {compute ? (
            <>
              {count(compute.replicas)} {compute.replicas === 1 ? 'replica' : 'replicas'}, last
              announced <RelativeTime at={compute.lastSeen} />
              {compute.status === 'offline' && `, with ${freeSlotsText(compute.freeSlots)}`}
            </>
          ) : (
            `The node hasn’t announced a compute offer named ${name} yet. It is listed automatically once it does.`
          )}
        </State>
      )}
    </section>
  );
}

interface StateProps {
  title: string;
  icon: ReactNode;
  word: string;
  /** The number that matters most. */
  figure?: ReactNode;
  children: ReactNode;
}

function State({ title, icon, word, figure, children }: StateProps) {
  return (
    <div className={styles.state}>
      <h2 className={styles.title}>{title}</h2>
      <p className={styles.word}>
        {icon}
        {word}
        {figure && <span className={styles.figure}>{figure}</span>}
      </p>
      <p className={text.secondary}>{children}</p>
    </div>
  );
}
