import { OUTAGE_AFTER_MS } from '@mesh-registry/protocol/values.schema.ts';
import { dateAndTime, exact, useTextAt, zoneOf } from '#app/lib/clock.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import styles from './outage-list.module.css';
import { spanText } from './uptime-text.ts';

export interface ListedOutage {
  /** The last heartbeat before it. */
  from: string;
  /** The first one after it; null while it lasts. */
  to: string | null;
}

const LONGEST_MS = 7 * 86_400_000;

/** Where a bar of this length ends, in hundredths of the scale: it is logarithmic, from 5 minutes to 7 days. */
export const barEnd = (ms: number): number =>
  Math.min(
    1,
    Math.max(0, Math.log(ms / OUTAGE_AFTER_MS) / Math.log(LONGEST_MS / OUTAGE_AFTER_MS)),
  ) * 100;

/** Outages, the newest first: when each was, how long as a bar, and in words. One that lasts is on top and open. */
export function OutageList({ outages }: { outages: ListedOutage[] }) {
  const hydrated = useHydrated();
  const [newest] = outages;
  if (!newest) return null;
  return (
    <ul className={styles.outages}>
      <li className={styles.scale} aria-hidden>
        <span className={styles.zone}>{zoneOf(newest.from, hydrated)}</span>
        <span className={styles.marks}>
          <span>5 min</span>
          <span>1 h</span>
          <span>1 day</span>
        </span>
      </li>
      {outages.map((outage) => (
        <Outage key={outage.from} {...outage} local={hydrated} />
      ))}
    </ul>
  );
}

function Outage({ from, to, local }: ListedOutage & { local: boolean }) {
  const started = Date.parse(from);
  const seconds = (now: number) => ((to === null ? now : Date.parse(to)) - started) / 1000;
  const lasted = useTextAt((now) => spanText(seconds(now)));
  const length = useTextAt((now) => barEnd(seconds(now) * 1000).toFixed(1));
  const [date, time] = dateAndTime(from, local);
  return (
    <li>
      <span className={styles.date}>{date}</span>
      <span className={styles.time}>
        <span className={styles.phoneDate}>{date}, </span>
        {to === null ? (
          <>
            since <Clock at={from} local={local} text={time} />
          </>
        ) : (
          <>
            <Clock at={from} local={local} text={time} /> –{' '}
            <Clock at={to} local={local} text={endText(date, to, local)} />
          </>
        )}
      </span>
      <span className={styles.bar}>
        <svg viewBox="0 0 100 5" preserveAspectRatio="none" aria-hidden>
          <rect width={Math.max(0.8, Number(length))} height="5" />
          {to === null && <path d={`M${length} 2.5H100`} strokeDasharray="0.6 0.9" />}
        </svg>
      </span>
      <strong className={styles.length}>
        {lasted}
        {to === null && ' so far'}
      </strong>
    </li>
  );
}

/** The end, with its date where that is another. */
function endText(startDate: string, to: string, local: boolean): string {
  const [date, time] = dateAndTime(to, local);
  return date === startDate ? time : `${date}, ${time}`;
}

const Clock = ({ at, local, text }: { at: string; local: boolean; text: string }) => (
  <time dateTime={at} title={local ? exact(at) : undefined}>
    {text}
  </time>
);
