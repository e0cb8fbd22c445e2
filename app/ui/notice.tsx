import type { ReactNode } from 'react';
import styles from './notice.module.css';

/** What it is about, as a shape of 16 × 16. */
const SHAPES = {
  warning: 'M8 2.2L14.4 13.5H1.6ZM8 6.4v3.2M8 11.4v.2',
  blocked: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13M3.5 12.5l9-9',
};

interface NoticeProps {
  /** A warning is worth a look, an error is what just failed: screen readers are told of it at once. */
  kind?: 'warning' | 'error';
  shape?: keyof typeof SHAPES;
  /** Another sign instead of a shape. */
  icon?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

/** A remark that must not be overlooked. */
export const Notice = ({
  kind = 'warning',
  shape = 'warning',
  icon,
  className = '',
  children,
}: NoticeProps) => (
  <div
    className={`${styles.notice} ${styles[kind]} ${className}`}
    {...(kind === 'error' && { role: 'alert' })}
  >
    {icon ?? (
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden>
        <path
          d={SHAPES[shape]}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    )}
    <div>{children}</div>
  </div>
);
