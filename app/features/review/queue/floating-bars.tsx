import type { ReactNode } from 'react';
import styles from './floating-bars.module.css';

/** Stays in sight at the bottom of the window while there is anything in it. */
export const FloatingBars = ({
  className = '',
  children,
}: {
  className?: string;
  children: ReactNode;
}) => <div className={`${styles.bars} ${className}`}>{children}</div>;
