import { createContext, useContext, useSyncExternalStore } from 'react';

/**
 * One clock for all times that a page shows. It follows the server's, so that "4 s ago" is right on a
 * device whose own clock is not, and it ticks only while something shows a time.
 */

/** The server's moment at which the page was made (ms): what is shown until the page has taken over. */
export const PageMoment = createContext(0);

/** Server's clock minus this device's, ms. */
let skew = 0;

/** Called with the moment (ms) that an answer of the server shows, as it arrives. */
export function setServerMoment(moment: number): void {
  skew = moment - Date.now();
}

export const serverNow = () => Date.now() + skew;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => listeners.forEach((tell) => tell()), 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A text that depends on the present moment; the component renders again only when the text changes. */
export function useTextAt(text: (now: number) => string): string {
  const made = useContext(PageMoment);
  return useSyncExternalStore(
    subscribe,
    () => text(serverNow()),
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
