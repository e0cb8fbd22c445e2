import type { ComputeStatus } from '@mesh-registry/protocol/values.schema.ts';
import { count } from '#app/lib/formatters.ts';
import text from '#app/ui/text.module.css';
import styles from './free-slots.module.css';

export interface FreeSlotsProps {
  freeSlots: number;
  status: ComputeStatus;
}

/** The free slots of a compute offer. While it is offline there are none, whatever it last announced. */
export function FreeSlots({ freeSlots, status }: FreeSlotsProps) {
  if (status === 'offline')
    return (
      <span className={text.secondary} title={`${count(freeSlots)} free when last seen`}>
        <span aria-hidden>–</span>
        <span className="visually-hidden">none while offline</span>
      </span>
    );
  return (
    <>
      {count(freeSlots)}
      <span className={styles.unit}> free</span>
    </>
  );
}
