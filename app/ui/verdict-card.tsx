import type { PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import card from './card.module.css';
import { StatusIcon } from './status-icon.tsx';
import styles from './verdict-card.module.css';

interface VerdictCardProps {
  status: PeerStatus;
  headline: string;
  /** What that means. */
  text: string;
  /** Whether it may change while the page is open: screen readers are told. */
  live?: boolean;
}

/** The first card of a page: how things are, in a few words. */
export function VerdictCard({ status, headline, text, live }: VerdictCardProps) {
  return (
    <section
      className={`${card.card} ${styles.verdict} ${status === 'offline' ? styles.offline : ''}`}
      {...(live && { 'aria-live': 'polite' })}
    >
      <StatusIcon status={status} size="L" />
      <h2>{headline}</h2>
      <p>{text}</p>
    </section>
  );
}
