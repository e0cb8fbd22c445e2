import type {
  ComputeStatus,
  NodeClass,
  PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import styles from './status-icon.module.css';
import { HALO, RADIUS, STAR_PATH, statusShape, STROKE } from './status-shapes.ts';

interface StatusProps {
  status: PeerStatus | ComputeStatus;
  size?: NodeClass;
}

/** The class that sets the colour of a status. */
export const statusColor = (status: PeerStatus | ComputeStatus | 'genesis'): string =>
  styles[status] ?? '';

/** The shape of a status, as on the map. Its word is always beside it, so screen readers skip the shape. */
export function StatusIcon({ status, size = 'M' }: StatusProps) {
  const { fill, stroke } = statusShape(status, RADIUS[size]);
  return (
    <svg
      className={`${styles.icon} ${styles[status]}`}
      viewBox="-8 -8 16 16"
      width="16"
      height="16"
      aria-hidden
    >
      {fill && <path d={fill} fill="currentColor" />}
      {stroke && (
        <path
          d={stroke}
          fill="none"
          stroke="currentColor"
          strokeWidth={STROKE}
          strokeLinecap="round"
        />
      )}
    </svg>
  );
}

export function GenesisIcon() {
  return (
    <svg
      className={`${styles.icon} ${styles.genesis}`}
      viewBox="-16 -16 32 32"
      width="24"
      height="24"
      aria-hidden
    >
      <circle r={HALO} fill="currentColor" opacity="0.2" />
      <circle r={HALO} fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d={STAR_PATH} fill="currentColor" />
    </svg>
  );
}

/** A status with its shape: "● online". @param word replaces the name of the status */
export function Status({ status, size, word = status }: StatusProps & { word?: string }) {
  return (
    <span className={styles.status}>
      <StatusIcon status={status} {...(size && { size })} />
      {word}
    </span>
  );
}

/** Something is right. Beside words that say so. */
export const Tick = () => (
  <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden>
    <path d="M2.5 8.5l3.5 3.5 7.5-8" fill="none" stroke="currentColor" strokeWidth="2" />
  </svg>
);
