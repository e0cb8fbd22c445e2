import type { ReactNode } from 'react';
import styles from './title-row.module.css';

interface TitleRowProps {
  title: string;
  /** One line under it, such as an id. */
  under?: ReactNode;
  /** Buttons, level with the title. */
  actions?: ReactNode;
}

/** The heading of a page about one thing: what it is called, what it is, and what can be done with it. */
export const TitleRow = ({ title, under, actions }: TitleRowProps) => (
  <div className={styles.row}>
    <div className={styles.words}>
      <h1>{title}</h1>
      {under && <div className={styles.under}>{under}</div>}
    </div>
    {actions && <div className={styles.actions}>{actions}</div>}
  </div>
);
