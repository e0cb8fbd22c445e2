import type { ReactNode } from 'react';
import styles from './tray.module.css';

/**
 * What has been chosen in a list, and what can be done with it: a strip at the bottom of the window. It covers no row: the page
 * ends above it, and the focus never scrolls under it.
 */
export const Tray = ({ label, children }: { label: string; children: ReactNode }) => (
  <section className={styles.tray} aria-label={label}>
    <div className={styles.content}>{children}</div>
  </section>
);
