import { exact, exactLocal } from '#app/lib/clock.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';

/** Times of the clock in the visitor's time zone; in UTC without scripts. */
export interface Times {
  /** "12:03" */
  short: (iso: string) => string;
  /** "12:03 UTC" */
  full: (iso: string) => string;
  /** "UTC", at that moment. */
  zone: (iso: string) => string;
}

export function useTimes(): Times {
  const show = useHydrated() ? exactLocal : exact;
  const full = (iso: string) => show(iso, 'minute').slice(11);
  return { full, short: (iso) => full(iso).slice(0, 5), zone: (iso) => full(iso).slice(6) };
}
