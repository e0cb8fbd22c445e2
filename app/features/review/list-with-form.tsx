import type { ReactNode } from 'react';
import styles from './list-with-form.module.css';

/**
 * A list and the form that adds to it. The form comes first in the document and on a narrow screen, so that
 * the keyboard reaches it before a long list; on a wide screen it stands at the right.
 */
export function ListWithForm({ form, children }: { form: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.columns}>
      {form}
      <div className={styles.list}>{children}</div>
    </div>
  );
}
