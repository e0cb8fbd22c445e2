import type { ReactNode } from 'react';
import text from '#app/ui/text.module.css';
import styles from './entry-list.module.css';

/** A short list in a panel. Its children are entries. */
export function EntryList({ children }: { children: ReactNode }) {
  return <ul className={styles.list}>{children}</ul>;
}

interface EntryProps {
  title: string;
  details: ReactNode;
  /** At the end of the line. */
  action?: ReactNode;
}

/** One line of an {@link EntryList}. */
export function Entry({ title, details, action }: EntryProps) {
  return (
    <li className={styles.entry}>
      <div className={styles.subject}>
        <strong>{title}</strong>
        <div className={text.secondary}>{details}</div>
      </div>
      {action}
    </li>
  );
}
