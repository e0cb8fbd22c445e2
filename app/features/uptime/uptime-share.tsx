import { percent } from '#app/lib/formatters.ts';
import text from '#app/ui/text.module.css';
import styles from './uptime-share.module.css';

/** Below this uptime a node is marked. */
const LOW = 0.95;

/** A share of time online, from 0 to 1, or null where nothing was measured; a low one has a sign as well as its colour. */
export function UptimeShare({ share }: { share: number | null }) {
  if (share === null)
    return (
      <span className={text.secondary}>
        <span aria-hidden>–</span>
        <span className="visually-hidden">not measured yet</span>
      </span>
    );
  if (share >= LOW) return <span>{percent(share)}</span>;
  return (
    <span className={styles.low}>
      {/* Drawn: the fonts have no such character. */}
      <svg viewBox="0 0 8 6" width="8" height="6" aria-hidden>
        <path d="M0 0h8L4 6z" fill="currentColor" />
      </svg>{' '}
      {percent(share)}
    </span>
  );
}
