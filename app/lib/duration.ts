/** Durations as text, only as exact as useful. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const unit = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;

/** What is left until a moment: "47 h 12 min", "12 min", "45 s". A moment that is over: "0 s". */
export function left(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A span that someone configured: "48 hours", "90 minutes". */
export function span(ms: number): string {
  if (ms % HOUR === 0) return unit(ms / HOUR, 'hour');
  return ms < 2 * MINUTE
    ? unit(Math.round(ms / 1000), 'second')
    : unit(Math.round(ms / MINUTE), 'minute');
}

/** How long something takes, roughly: "3 hours". */
export function roughly(ms: number): string {
  if (ms < 90_000) return 'a minute';
  if (ms < 90 * MINUTE) return unit(Math.round(ms / MINUTE), 'minute');
  if (ms < 36 * HOUR) return unit(Math.round(ms / HOUR), 'hour');
  return unit(Math.round(ms / (24 * HOUR)), 'day');
}
