import type { Reachability, StatusSummary } from '#server/status/index.ts';
import type { Connection } from '#app/lib/connection.ts';

/** The texts of /status: numbers with their units, and the state of the service in a sentence. */

const MINUTE_MS = 60_000;

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

/** "12:03" of an ISO moment, in UTC. */
export const clockTime = (iso: string) => iso.slice(11, 16);

/** A share as "99.9 %", rounded down: only a whole one is 100 %. */
export const percent = (share: number) =>
  share === 1 ? '100 %' : `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;

/** "23 h 50 min reachable, 10 min not reachable: 99.3 %." */
export function reachableInWords(genesis: Reachability): string {
  if (genesis.upShare === null) return 'No check has finished yet.';
  const spell = (minutes: number) =>
    minutes < 1 ? 'less than a minute' : duration(Math.round(minutes) * MINUTE_MS);
  const parts = [
    ...(genesis.upMinutes > 0 ? [`${spell(genesis.upMinutes)} reachable`] : []),
    ...(genesis.downMinutes > 0 ? [`${spell(genesis.downMinutes)} not reachable`] : []),
  ];
  const unchecked =
    genesis.uncheckedMinutes >= 1 ? ` Not checked: ${spell(genesis.uncheckedMinutes)}.` : '';
  return `${parts.join(', ')}: ${percent(genesis.upShare)} of the time checked.${unchecked}`;
}

export interface Verdict {
  /** Which status icon it has: a disc, an open ring or a cross. */
  state: 'online' | 'idle' | 'offline';
  headline: string;
  text: string;
}

/** The state of the service: the worst problem, and what it means for the reader. */
export function verdict(status: StatusSummary, connection: Connection): Verdict {
  const { service, genesis, readModel } = status;
  if (connection.state === 'stale')
    return {
      state: 'offline',
      headline: 'The service isn’t responding',
      text: `The page shows the state as of ${clockTime(new Date(connection.asOf).toISOString())} UTC and keeps retrying.`,
    };
  if (service.database === 'down')
    return {
      state: 'offline',
      headline: 'The database is unavailable',
      text: `Map, directory and registry are shown as of ${clockTime(readModel.updatedAt)} UTC. Heartbeats and registrations are rejected until it is back.`,
    };
  if (service.degraded)
    return {
      state: 'idle',
      headline: 'The lists are out of date',
      text: `Map, directory and registry are shown as of ${clockTime(readModel.updatedAt)} UTC. They catch up once the database responds in time.`,
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
    text: `The database is reachable and every list is up to date.${GENESIS_TEXT[genesis.configured ? genesis.status : 'unchecked']}`,
  };
}

const GENESIS_TEXT = {
  online: ' Genesis is reachable.',
  unknown: ' The first check of Genesis is in progress.',
  unchecked: ' Genesis isn’t checked.',
};
