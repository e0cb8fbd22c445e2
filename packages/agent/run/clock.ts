import { setTimeout } from 'node:timers/promises';

/** Time, so that tests can move it. */
export interface Clock {
  /** Milliseconds since 1970, by the machine's clock: it jumps when the clock is set or the machine has slept. */
  now(): number;
  /** Resolves after `ms`, or sooner when the signal aborts. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => {}),
};

const UNITS = [
  ['day', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** `7 h 41 min`, `2 days 3 h`, `12 s`: the two largest units. */
export function duration(ms: number): string {
  let left = Math.max(0, Math.round(ms / 1000));
  const parts: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0) parts.push(`${count} ${unit}${unit === 'day' && count > 1 ? 's' : ''}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 s';
}

/** How long ago a time was, as {@link duration} has it. @param time ISO 8601 @param now milliseconds since 1970 */
export const since = (time: string, now: number): string => duration(now - Date.parse(time));
