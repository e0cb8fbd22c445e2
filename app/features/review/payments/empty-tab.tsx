import type { ReactNode } from 'react';
import card from '#app/ui/card.module.css';
import styles from './empty-tab.module.css';

/** What a tab of the payments page shows when there is nothing to do. */
export function EmptyTab({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={`${card.padded} ${styles.empty}`}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
