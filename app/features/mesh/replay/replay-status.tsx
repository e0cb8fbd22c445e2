import styles from '#app/features/live/connection-status.module.css';

/** In the header, in place of whether the page is live. */
export const ReplayStatus = () => (
  <p className={`${styles.status} ${styles['stale'] ?? ''}`} role="status">
    <span className={styles.dot} aria-hidden />
    <span>Replay</span>
  </p>
);
