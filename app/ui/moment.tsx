import styles from './moment.module.css';
import { exact, exactLocal, type Precision, ago, useTextAt } from '#app/lib/clock.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';

/** A moment and how long ago it was: "2026-07-17 14:00:00 CEST, 3 min ago". */
export const Moment = ({ at }: { at: string }) => (
  <span className={styles.moment}>
    <ExactTime at={at} />, <RelativeTime at={at} />
  </span>
);

export interface ExactTimeProps {
  /** ISO 8601 */
  at: string;
  precision?: Precision;
}

/** A moment in the visitor's time zone, in UTC on hover. Without scripts it is UTC. */
export function ExactTime({ at, precision }: ExactTimeProps) {
  const hydrated = useHydrated();
  return (
    <time dateTime={at} title={hydrated ? exact(at) : undefined}>
      {hydrated ? exactLocal(at, precision) : exact(at, precision)}
    </time>
  );
}

/** A moment as "4 s ago", kept current. On hover the exact time, in the visitor's time zone and in UTC. */
export function RelativeTime({ at }: { at: string }) {
  const hydrated = useHydrated();
  const text = useTextAt((now) => ago(Date.parse(at), now));
  return (
    <time dateTime={at} title={hydrated ? localAndUtc(at) : exact(at)}>
      {text}
    </time>
  );
}

function localAndUtc(at: string): string {
  const [local, utc] = [exactLocal(at), exact(at)];
  return local === utc ? utc : `${local} (${utc})`;
}
