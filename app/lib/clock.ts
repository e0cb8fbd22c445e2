import { createContext, useContext, useSyncExternalStore } from 'react';

/**
 * One clock for all times on a page. It follows the server's clock, so that "4 s ago" is right on a device
 * whose own clock is off, and it ticks only while something shows a time.
 */
export class Clock {
  /** The server's clock minus this device's, ms. */
  #skew = 0;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** The server's time, ms since 1970. */
  readonly now = (): number => Date.now() + this.#skew;

  /** Sets the clock by an answer of the server. @param moment the answer's time, ms since 1970 */
  set(moment: number): void {
    this.#skew = moment - Date.now();
  }

  /** Calls `listener` every second. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#listeners.forEach((tick) => tick()), 1000);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  };
}

export const ClockContext = createContext<Clock | null>(null);

export function useClock(): Clock {
  const clock = useContext(ClockContext);
  if (!clock) throw new Error('No clock: the component is outside the root layout.');
  return clock;
}

/** When the server rendered the page (ms since 1970). Ages count from it until the page is hydrated. */
export const PageMoment = createContext(0);

/** A text that depends on the current time. The component renders again only when the text changes. */
export function useTextAt(text: (now: number) => string): string {
  const clock = useClock();
  const renderedAt = useContext(PageMoment);
  return useSyncExternalStore(
    clock.subscribe,
    () => text(clock.now()),
    () => text(renderedAt),
  );
}

/** "4 s ago". A moment in the future counts as now: some clock is slightly off. */
export function ago(moment: number, now: number): string {
  const seconds = Math.floor((now - moment) / 1000);
  if (seconds < 1) return 'now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** How much of a moment to show; `clock` leaves the date out. */
export type Precision = 'date' | 'minute' | 'second' | 'clock';

/** "2026-07-17 12:03:10 UTC": the same text on the server and in every time zone. */
export const exact = (iso: string, precision: Precision = 'second'): string =>
  momentText(iso, 'UTC', precision);

/**
 * "2026-07-18 00:03:10 GMT+12": in this device's time zone. For the browser only; the server doesn't know
 * the visitor's zone.
 */
export function exactLocal(iso: string, precision: Precision = 'second'): string {
  return momentText(wallClock(iso), zoneName(new Date(iso)), precision);
}

/** A moment as a clock on the wall shows it, written as if it were UTC. For the browser only. */
function wallClock(iso: string): string {
  const moment = new Date(iso);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString();
}

/** The zone of a time: "CET". */
export const zoneOf = (iso: string, local: boolean): string =>
  local ? zoneName(new Date(iso)) : 'UTC';

/** A moment as a date and a time without its zone, which stands beside it: ["6 Nov", "14:02"]. @param local in this device's time zone, for the browser only */
export function dateAndTime(iso: string, local: boolean): [date: string, time: string] {
  const written = local ? wallClock(iso) : iso;
  return [dateName(written), written.slice(11, 16)];
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** "6 Nov" of 2026-11-06, on every device and in every time zone. */
export const dateName = (date: string): string =>
  `${Number(date.slice(8, 10))} ${MONTHS[Number(date.slice(5, 7)) - 1] ?? ''}`;

/**
 * The language for names of time zones. English speakers get those of their country, all others British ones, since
 * every other text is English too. Chromium can report a language that Intl refuses, such as "en-US@posix" on Linux.
 */
export const zoneLocale = (language: string): string =>
  /^en(-[A-Z]{2})?$/.test(language) ? language : 'en-GB';

/** The language for times in this browser. */
export const timeLocale = zoneLocale(typeof navigator === 'undefined' ? '' : navigator.language);

const zoneFormat = new Intl.DateTimeFormat(timeLocale, { timeZoneName: 'short' });

const zoneName = (moment: Date): string =>
  zoneFormat.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? '';

function momentText(iso: string, zone: string, precision: Precision): string {
  const date = iso.slice(0, 10);
  if (precision === 'date') return date;
  const time = `${iso.slice(11, precision === 'minute' ? 16 : 19)} ${zone}`;
  return precision === 'clock' ? time : `${date} ${time}`;
}
