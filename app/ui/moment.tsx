import { useContext } from 'react';
import styles from './moment.module.css';
import {
  ago,
  dateAndTime,
  exact,
  exactLocal,
  PageMoment,
  useTextAt,
  type Precision,
} from '#app/lib/clock.ts';
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

/**
 * The day of a moment in the visitor's time zone: "12 Aug", with its year unless that is this year.
 * @param props.withYear with its year in any case
 */
export function DayOf({ at, withYear = false }: { at: string; withYear?: boolean }) {
  const hydrated = useHydrated();
  const now = useContext(PageMoment);
  const [date] = dateAndTime(at, hydrated);
  const year = at.slice(0, 4);
  return (
    <time dateTime={at} title={hydrated ? localAndUtc(at) : exact(at)} className={styles.day}>
      {date}
      {(withYear || year !== new Date(now).toISOString().slice(0, 4)) && ` ${year}`}
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
