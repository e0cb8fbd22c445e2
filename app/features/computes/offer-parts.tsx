import type { NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import { percent, regionName } from '#app/lib/formatters.ts';
import styles from './offer-parts.module.css';

/** What the directory and the comparison both show of an offer. */

export const CLASS_WORDS: Record<NodeClass, string> = {
  S: 'S, small',
  M: 'M, medium',
  L: 'L, large',
};

/** Uptimes below this are marked. */
const LOW_UPTIME = 0.95;

/** The uptime of a node over the last 30 days; a low one has a sign as well as its colour. */
export function Uptime({ share }: { share: number | null }) {
  if (share === null)
    return (
      <span className={styles.none}>
        <span aria-hidden>–</span>
        <span className="visually-hidden">not measured yet</span>
      </span>
    );
  return share < LOW_UPTIME ? (
    <span className={styles.low}>
      <span aria-hidden>▾ </span>
      {percent(share)}
    </span>
  ) : (
    <>{percent(share)}</>
  );
}

/** "Europe", or only the code where its meaning is unknown. */
export const regionInWords = (code: string): string => regionName(code) ?? code;
