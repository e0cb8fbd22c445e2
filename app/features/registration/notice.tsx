import type { ReactNode } from 'react';
import styles from './notice.module.css';

/** What a warning is about, as a shape of 16 × 16. */
const SHAPES = {
  warning: 'M8 2.2L14.4 13.5H1.6ZM8 6.4v3.2M8 11.4v.2',
  blocked: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13M3.5 12.5l9-9',
};

/** A sentence that the operator should know: a warning, not an error. */
export function Notice({
  shape = 'warning',
  children,
}: {
  shape?: keyof typeof SHAPES;
  children: ReactNode;
}) {
  return (
    <p className={styles.notice}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden>
        <path
          d={SHAPES[shape]}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.75"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <span>{children}</span>
    </p>
  );
}
