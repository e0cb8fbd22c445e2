import { ExactTime } from './exact-time.tsx';
import styles from './moment.module.css';
import { RelativeTime } from './relative-time.tsx';

/** A moment and how long ago it was: "2026-07-17 14:00:00 CEST, 3 min ago". */
export const Moment = ({ at }: { at: string }) => (
  <span className={styles.moment}>
    <ExactTime at={at} />, <RelativeTime at={at} />
  </span>
);
