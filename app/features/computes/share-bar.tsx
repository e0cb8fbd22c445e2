import type { ComputeStatus } from '#server/computes/values.schema.ts';
import { statusColor } from '#app/ui/status-icon.tsx';
import styles from './share-bar.module.css';

export interface ShareBarProps {
  /** The filled share, from 0 to 1; the bar stays full beyond 1. */
  share: number;
  /** The bar has this status's colour. */
  status: ComputeStatus;
  className?: string | undefined;
}

/** A share as a bar, beside a text that says the same. An SVG, because the page's policy forbids inline styles. */
export function ShareBar({ share, status, className = '' }: ShareBarProps) {
  return (
    <svg
      className={`${styles.bar} ${statusColor(status)} ${className}`}
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      aria-hidden
    >
      <rect width={Math.min(share, 1) * 100} height="8" fill="currentColor" />
    </svg>
  );
}
