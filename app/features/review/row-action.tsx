import type { KeyboardEvent, ReactNode } from 'react';
import button from '#app/ui/button.module.css';
import styles from './row-action.module.css';

interface RowActionProps {
  /** What it does: the text of its link. */
  label: string;
  /** The row it is about, for screen readers. */
  subject: string;
  /** Opens it, such as when its form was refused. */
  open?: boolean;
  children: ReactNode;
}

/** A link in a table's row that opens a small form over the list, so that no row moves. Works without scripts. */
export function RowAction({ label, subject, open = false, children }: RowActionProps) {
  return (
    <details className={styles.details} open={open || undefined} onKeyDown={closeOnEscape}>
      <summary className={button.link}>
        {label}
        <span className="visually-hidden">: {subject}</span>
      </summary>
      <div className={styles.panel}>{children}</div>
    </details>
  );
}

function closeOnEscape({ key, currentTarget }: KeyboardEvent<HTMLDetailsElement>) {
  if (key !== 'Escape' || !currentTarget.open) return;
  currentTarget.open = false;
  currentTarget.querySelector('summary')?.focus();
}
