import type { ReactNode } from 'react';
import button from '#app/ui/button.module.css';
import { Status } from '#app/ui/status-icon.tsx';
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

interface RowButtonProps {
  intent: string;
  /** The row it is about, for screen readers. */
  subject: string;
  children: string;
}

/** A button in a row, which looks like a link. */
export function RowButton({ intent, subject, children }: RowButtonProps) {
  return (
    <button className={button.link} name="intent" value={intent}>
      {children}
      <span className="visually-hidden">: {subject}</span>
    </button>
  );
}

/** Whether a second factor is on. */
export const SecondFactorStatus = ({ on }: { on: boolean }) => (
  <Status status={on ? 'online' : 'idle'} word={on ? 'on' : 'off'} />
);
