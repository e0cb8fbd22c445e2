import type { Reachability, StatusSummary } from '#server/status/index.ts';
import { exact, exactLocal } from '#app/lib/clock.ts';
import { percent } from '#app/lib/formatters.ts';
import type { Connection } from '#app/lib/polling.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';

/** The texts of /status: times, numbers with their units, and the state of the service in a sentence. */

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

const MINUTE_MS = 60_000;
/** A slot of the history, minutes. */
const SLOT_MINUTES = 15;

/** "23 h 50 min": the two largest units of a time span (ms, at least 0). */
export function duration(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(Math.max(0, ms) / 1000)} s`;
  const minutes = Math.floor(ms / MINUTE_MS);
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  return parts
    .filter(([n]) => n > 0)
    .slice(0, 2)
    .map(([n, unit]) => `${n} ${unit}`)
    .join(' ');
}

const spell = (minutes: number) =>
  minutes < 1 ? 'less than a minute' : duration(Math.round(minutes) * MINUTE_MS);

/** "23 h 50 min reachable, 10 min not reachable: 99.30%." */
export function reachableInWords(genesis: Reachability): string {
  if (genesis.upShare === null) return 'No check has finished yet.';
  const parts = [
    ...(genesis.upMinutes > 0 ? [`${spell(genesis.upMinutes)} reachable`] : []),
    ...(genesis.downMinutes > 0 ? [`${spell(genesis.downMinutes)} not reachable`] : []),
  ];
  const unchecked =
    genesis.uncheckedMinutes >= 1 ? ` Not checked: ${spell(genesis.uncheckedMinutes)}.` : '';
  return `${parts.join(', ')}: ${percent(genesis.upShare)} of the time checked.${unchecked}`;
}

type History = StatusSummary['history'];

/** Whether a process ran in each slot; null before the history begins. */
export function runningIn({ slots, since }: History): (boolean | null)[] {
  return slots.map(({ pingsPerMinute }, n) => {
    // The current slot has no full minute at first. Something is running, or there would be no answer.
    if (pingsPerMinute !== null || n === slots.length - 1) return true;
    const next = slots[n + 1]?.at ?? '';
    return since !== null && since < next ? false : null;
  });
}

/** "Running for the last 24 hours." or for how long it was away, to a quarter of an hour. */
export function runningInWords(history: History, times: Times): string {
  const running = runningIn(history);
  const { slots, since } = history;
  const away = running.filter((state) => state === false).length;
  const young = running.includes(null);
  if (away === 0)
    return young && since
      ? `Running since ${times.full(since)}, when this history begins.`
      : 'Running for all of the last 24 hours.';
  const back = slots[running.lastIndexOf(false) + 1]?.at ?? '';
  return `Running since ${times.full(back)}. Before that it was down for about ${spell(away * SLOT_MINUTES)}${young ? '' : ' of the last 24 hours'}.`;
}

/** Which glyph something has: a disc, an open ring, a cross, or a ring in dashes. */
export type Sign = 'online' | 'idle' | 'offline' | 'unknown';

export interface Verdict {
  state: Sign;
  headline: string;
  text: string;
}

/** The state of the service: the worst problem, and what it means for the reader. */
export function verdict(status: StatusSummary, connection: Connection, times: Times): Verdict {
  const { service, genesis, readModel } = status;
  if (connection.state === 'stale')
    return {
      state: 'offline',
      headline: 'The service isn’t responding',
      text: `The page shows the state as of ${times.full(new Date(connection.asOf).toISOString())} and keeps retrying.`,
    };
  if (service.database === 'down')
    return {
      state: 'offline',
      headline: 'The database is unavailable',
      text: `Map, directory and registry are shown as of ${times.full(readModel.updatedAt)}. Heartbeats and registrations are rejected until it is back.`,
    };
  if (service.storage === 'full')
    return {
      state: 'offline',
      headline: 'The disk is full',
      text: 'Map, directory and registry work. Heartbeats and registrations are rejected until there is space again.',
    };
  if (service.degraded)
    return {
      state: 'idle',
      headline: 'The lists are out of date',
      text: `Map, directory and registry are shown as of ${times.full(readModel.updatedAt)}. They catch up once the database responds in time.`,
    };
  if (genesis.status === 'offline')
    return {
      state: 'idle',
      headline: 'The service works, but Genesis isn’t responding',
      text: 'Map, directory and registry work. New peers may be unable to join the network.',
    };
  return {
    state: 'online',
    headline: 'All systems operational',
    text: `Everything works and is up to date.${GENESIS_TEXT[genesis.configured ? genesis.status : 'unchecked']}`,
  };
}

const GENESIS_TEXT = {
  online: ' Genesis is reachable.',
  unknown: ' The first check of Genesis is in progress.',
  unchecked: ' Genesis isn’t checked.',
};
