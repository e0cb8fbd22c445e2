import { Link } from '@remix-run/react';
import { useTextAt } from '#app/lib/clock.ts';
import button from '#app/ui/button.module.css';
import { ClockIcon } from '#app/ui/icons.tsx';
import { LiveRegion } from '#app/ui/live-region.tsx';
import { Notice } from '#app/ui/notice.tsx';
import styles from './reserved.module.css';
import { DayAndTime } from './when.tsx';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A short reservation is soon over in its last tenth. */
const SOON_MS = 2 * HOUR;
const LAST_MS = 10 * MINUTE;

interface Reservation {
  createdAt: string;
  expiresAt: string;
}

/** "31 h 6 min": what is left, in steps of a minute. */
export function minutesLeft(ms: number): string {
  const minutes = Math.floor(ms / MINUTE);
  if (minutes < 1) return 'under a minute';
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How near the end is; each change is said once. */
export function stageOf({ createdAt, expiresAt }: Reservation, now: number): '' | 'soon' | 'last' {
  const end = Date.parse(expiresAt);
  const left = end - now;
  if (left <= LAST_MS) return 'last';
  return left <= Math.min(SOON_MS, (end - Date.parse(createdAt)) / 10) ? 'soon' : '';
}

/** What is left of the reservation, as a text and as a bar. Without scripts only its end. */
export function TimeLeft({ reservation }: { reservation: Reservation }) {
  const { createdAt, expiresAt } = reservation;
  const end = Date.parse(expiresAt);
  const left = useTextAt((now) => minutesLeft(end - now));
  const stage = useTextAt((now) => stageOf(reservation, now));
  const share = useTextAt((now) => {
    const whole = end - Date.parse(createdAt);
    return String(Math.round(Math.min(1, Math.max(0, (end - now) / whole)) * 100));
  });
  return (
    <div className={`${styles.time} ${stage ? styles.soon : ''}`} role="timer">
      <strong className="needs-scripts">{left} left</strong>
      <span>
        until <DayAndTime at={expiresAt} />
      </span>
      <svg
        className={`${styles.bar} needs-scripts`}
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        aria-hidden
      >
        <rect className={styles.rest} width={share} height="4" />
      </svg>
    </div>
  );
}

/** Once the end is near. @param props.paid leads to the form that reports the payment */
export function SoonOver({ reservation, paid }: { reservation: Reservation; paid: string }) {
  const end = Date.parse(reservation.expiresAt);
  const left = useTextAt((now) => minutesLeft(end - now));
  const stage = useTextAt((now) => stageOf(reservation, now));
  const text = `The reservation ends in ${left}.`;
  return (
    <>
      <LiveRegion about={stage} text={stage && text} />
      {stage && (
        <Notice icon={<ClockIcon />} className={`${styles.banner} needs-scripts`}>
          <strong>{text}</strong>
          <p>
            Already paid? Report it now and the name stays reserved while a reviewer looks. Not yet?
            You can still pay in time.
          </p>
          <Link className={button.button} to={paid} preventScrollReset>
            I have already paid
          </Link>
        </Notice>
      )}
    </>
  );
}
