import { useEffect, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import type { DayStrip } from '#server/uptime/index.ts';
import { dateAndTime, dateName, zoneOf } from '#app/lib/clock.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import { Section } from '#app/ui/section.tsx';
import styles from './uptime-days.module.css';
import { UptimeStrip } from './uptime-strip.tsx';
import { dayOfStrip, dayText } from './uptime-text.ts';

interface UptimeDaysProps {
  title: string;
  days: DayStrip;
  /** At the right of the heading while no day is chosen. */
  summary: ReactNode;
  /** The same in words, for screen readers. */
  label: string;
  /** What the last day is called. */
  lastDay?: string;
}

/** How long a day is chosen before screen readers are told, ms: who drags is told where it ends. */
const SAY_MS = 300;

/** The last 90 days of a node as a strip; each day says what it was when it is pointed at or chosen by keyboard. */
export function UptimeDays({ title, days, summary, label, lastDay = 'today' }: UptimeDaysProps) {
  const hydrated = useHydrated();
  const [pointed, setPointed] = useState<number | null>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = pointed ?? chosen;
  const last = days.offline.length - 1;
  const words = (n: number) => `${dateName(dayOfStrip(days, n))}: ${dayText(days, n)}`;
  const said = useSettled(pointed === null ? '' : words(pointed));
  const strip = <UptimeStrip offline={days.offline} place="page" />;

  const dayAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * (last + 1))));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = target(event.key, chosen ?? last, last);
    if (to === undefined) return;
    event.preventDefault();
    setPointed(null);
    setChosen(to);
  };
  return (
    <Section
      title={title}
      aside={
        <>
          {shown === null ? (
            summary
          ) : (
            <>
              {dateName(dayOfStrip(days, shown))}:{' '}
              <strong className={styles.day}>{dayText(days, shown)}</strong>
            </>
          )}
          <span className="visually-hidden" role="status">
            {said}
          </span>
        </>
      }
    >
      {hydrated ? (
        <div
          className={styles.slider}
          role="slider"
          tabIndex={0}
          aria-label={`Day. ${label}`}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={chosen ?? last}
          aria-valuetext={words(chosen ?? last)}
          onKeyDown={onKeyDown}
          onPointerDown={(event) => setChosen(dayAt(event))}
          onPointerMove={(event) => setPointed(dayAt(event))}
          onPointerLeave={() => setPointed(null)}
          onPointerCancel={() => setPointed(null)}
        >
          {strip}
          {shown !== null && (
            <svg
              className={styles.cursor}
              viewBox={`0 0 ${last + 1} 48`}
              preserveAspectRatio="none"
              aria-hidden
            >
              <rect x={shown - 0.1} y="1" width="1.2" height="46" />
            </svg>
          )}
        </div>
      ) : (
        <div role="img" aria-label={label}>
          {strip}
        </div>
      )}
      <div className={styles.axis} aria-hidden>
        <span>{dateName(days.first)}</span>
        <span>{dateName(dayOfStrip(days, 30))}</span>
        <span>{dateName(dayOfStrip(days, 60))}</span>
        <span>{lastDay}</span>
      </div>
      <Legend day={dayOfStrip(days, last)} local={hydrated} />
    </Section>
  );
}

/** Where a key leads from a day; undefined: nowhere. */
function target(key: string, from: number, last: number): number | null | undefined {
  const within = (n: number) => Math.min(last, Math.max(0, n));
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return within(from - 1);
    case 'ArrowRight':
    case 'ArrowUp':
      return within(from + 1);
    case 'PageUp':
      return within(from + 7);
    case 'PageDown':
      return within(from - 7);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'Escape':
      return null;
    default:
      return undefined;
  }
}

/** The text, once it has stayed the same for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SAY_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/**
 * What the marks mean, and where a day begins: a day is one of UTC.
 * @param props.day whose zone is named: the last one's is that of every other time on the page
 */
function Legend({ day, local }: { day: string; local: boolean }) {
  const midnight = `${day}T00:00:00.000Z`;
  const begins = dateAndTime(midnight, local)[1];
  return (
    <p className={styles.legend}>
      <span className={styles.online}>online</span>
      <span className={styles.outage}>outage: longer is deeper</span>
      <span className={styles.unknown}>not measured</span>
      {local && begins !== '00:00' && (
        <span>
          days begin at {begins} {zoneOf(midnight, local)}
        </span>
      )}
    </p>
  );
}
