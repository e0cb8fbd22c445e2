import type { UptimeStrip } from '#server/uptime/index.ts';

/** Uptime in words. Durations come in quarters of an hour. */

export const WINDOW_LABEL: Record<UptimeStrip['window'], string> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
};

/** "45 min", "4 h 15 min", "3 days 4 h". */
export function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return joined(`${Math.floor(hours / 24)} days`, hours % 24, 'h');
  return hours === 0 ? `${minutes} min` : joined(`${hours} h`, minutes % 60, 'min');
}

const joined = (large: string, small: number, unit: string) =>
  small === 0 ? large : `${large} ${small} ${unit}`;

/** What belongs to the share: how long the node was offline, and how much isn't known. */
export function remarks({
  uptime,
  onlineSeconds,
  measuredSeconds,
  unmeasuredSeconds,
}: UptimeStrip): string[] {
  const offline = measuredSeconds - onlineSeconds;
  return [
    ...(uptime === null
      ? []
      : [offline === 0 ? 'never offline' : `offline for ${duration(offline)}`]),
    ...(unmeasuredSeconds > 0 ? [`not measured: ${duration(unmeasuredSeconds)}`] : []),
  ];
}
