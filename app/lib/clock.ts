import { createContext, useContext, useSyncExternalStore } from 'react';

/**
 * One clock for all the times that a page shows. It follows the server's, so that "4 s ago" is right on a
 * device whose own clock is off, and it ticks only while something shows a time.
 */
export class Clock {
  /** The server's clock minus this device's, ms. */
  #skew = 0;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** The server's time, ms since 1970. */
  readonly now = (): number => Date.now() + this.#skew;

  /** Takes over the moment (ms) that an answer of the server shows, as it arrives. */
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
  if (!clock) throw new Error('There is no clock: the component is outside of the root layout.');
  return clock;
}

/** The server's moment at which the page was made (ms): what is shown until the page is hydrated. */
export const PageMoment = createContext(0);

/** A text that depends on the present moment. The component renders again only when the text changes. */
export function useTextAt(text: (now: number) => string): string {
  const clock = useClock();
  const made = useContext(PageMoment);
  return useSyncExternalStore(
    clock.subscribe,
    () => text(clock.now()),
    () => text(made),
  );
}

/** "4 s ago". A moment in the future, by a clock that is a little off, counts as now. */
export function ago(moment: number, now: number): string {
  const seconds = Math.floor((now - moment) / 1000);
  if (seconds < 1) return 'now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** "2026-07-17 12:03:10 UTC": the same text on the server and in every time zone. */
export const exact = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
