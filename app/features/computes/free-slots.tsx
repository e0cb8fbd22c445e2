import type { ComputeStatus } from '#server/computes/values.schema.ts';
import { capacity } from '#app/lib/formatters.ts';
import { ShareBar } from './share-bar.tsx';
import styles from './free-slots.module.css';

export interface FreeSlotsProps {
  freeSlots: number;
  replicas: number;
  status: ComputeStatus;
}

/** Free slots and replicas in numbers and as a bar, which is full if there are more free slots than replicas. */
export function FreeSlots({ freeSlots, replicas, status }: FreeSlotsProps) {
  return (
    <span className={styles.slots}>
      <ShareBar
        share={freeSlots === 0 ? 0 : freeSlots / Math.max(replicas, 1)}
        status={status}
        className={styles.bar}
      />
      <span>{capacity({ freeSlots, replicas })}</span>
    </span>
  );
}
