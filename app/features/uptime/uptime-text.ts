import type { DayStrip, UptimeStrip } from '#server/uptime/index.ts';

/** Uptime in words. */

export const WINDOW_LABEL: Record<UptimeStrip['window'], string> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
};

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** "8 min", "14 h 35 min", "6 d 7 h". Less than a minute is "1 min". @param seconds rounded down to minutes */
export function spanText(seconds: number): string {
  const minutes = Math.max(1, Math.floor(seconds / MINUTE));
  if (minutes < 60) return `${minutes} min`;
  if (seconds < 2 * DAY) return joined(Math.floor(seconds / HOUR), 'h', minutes % 60, 'min');
  return joined(Math.floor(seconds / DAY), 'd', Math.floor((seconds % DAY) / HOUR), 'h');
}

const joined = (large: number, unit: string, small: number, smaller: string) =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smaller}`;

/** What a strip says about one of its days: "offline 42 min". @param n the number of the day, from 0 */
export function dayText({ offline, unmeasured, before }: DayStrip, n: number): string {
  if (n < before) return 'not measured';
  const seconds = offline[n] ?? null;
  const away = unmeasured[n];
  if (seconds === null) return 'not measured';
  const words =
    seconds > 0
      ? `offline ${spanText(seconds)}`
      : n === offline.length - 1
        ? 'online so far'
        : 'online';
  return away === undefined ? words : `${words}, ${spanText(away)} not measured`;
}

/** Seconds offline on all days of a strip. */
export const offlineSeconds = ({ offline }: DayStrip): number =>
  offline.reduce<number>((sum, seconds) => sum + (seconds ?? 0), 0);

/** The date of a day of a strip, such as 2026-11-06. */
export const dayOfStrip = ({ first }: DayStrip, n: number): string =>
  new Date(Date.parse(first) + n * DAY * 1000).toISOString().slice(0, 10);
