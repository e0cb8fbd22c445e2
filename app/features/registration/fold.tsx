import type { ReactNode } from 'react';
import { Link } from '@remix-run/react';
import { ChevronIcon } from '#app/ui/icons.tsx';
import styles from './folds.module.css';

export interface FoldProps {
  title: ReactNode;
  /** A quieter line below it. */
  sub?: ReactNode;
  /** Its sign. Then the arrow is at the other end. */
  icon?: ReactNode;
  open?: boolean;
  children: ReactNode;
}

/** A row that opens in place. A link in its place looks the same. */
export const Fold = ({ title, sub, icon, open, children }: FoldProps) => (
  <details open={open}>
    <summary className={styles.row}>
      <Row {...{ title, sub, icon }} />
    </summary>
    <div className={styles.body}>{children}</div>
  </details>
);

export const LinkRow = ({
  to,
  ...row
}: Pick<FoldProps, 'title' | 'sub' | 'icon'> & { to: string }) => (
  <Link to={to} className={styles.row}>
    <Row {...row} />
  </Link>
);

const Row = ({ title, sub, icon }: Pick<FoldProps, 'title' | 'sub' | 'icon'>) => (
  <>
    {icon ?? <ChevronIcon className={styles.chevron} />}
    <span>
      {title}
      {sub !== undefined && <span className={styles.sub}>{sub}</span>}
    </span>
    {icon !== undefined && <ChevronIcon className={styles.chevron} />}
  </>
);
