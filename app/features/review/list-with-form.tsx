import type { ReactNode } from 'react';
import styles from './list-with-form.module.css';

interface ListWithFormProps {
  /** The form that adds to the list, on its card. */
  form: ReactNode;
  /** The list's cards, one below the other. */
  children: ReactNode;
  /** A secondary card: below the form on a wide screen, below the list on a narrow one. */
  after?: ReactNode;
}

/** A list and the form that adds to it: at the list's right on a wide screen, before it on a narrow one. */
export function ListWithForm({ form, children, after }: ListWithFormProps) {
  return (
    <div className={styles.columns}>
      <div className={styles.form}>{form}</div>
      <div className={styles.list}>{children}</div>
      {after && <div className={styles.after}>{after}</div>}
    </div>
  );
}
