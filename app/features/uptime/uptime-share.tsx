import { percent } from '#app/lib/formatters.ts';
import styles from './uptime-share.module.css';

/** Below this uptime a node is marked. */
const LOW = 0.95;

/** A share of time online, from 0 to 1, or null where nothing was measured; a low one has a sign as well as its colour. */
export function UptimeShare({ share }: { share: number | null }) {
  if (share === null)
    return (
      <span className={styles.none}>
        <span aria-hidden>–</span>
        <span className="visually-hidden">not measured yet</span>
      </span>
    );
  return <span className={share < LOW ? styles.low : undefined}>{percent(share)}</span>;
}
