import packageJson from '../../package.json' with { type: 'json' };
import type { GenesisStatus } from '#server/common/values.schema.ts';
import { HISTORY_MS, MINUTE_MS, minuteOf, type Minute, type Minutes } from './recorder.ts';
import type { ServiceContext } from '#server/common/context.ts';

/** What /status shows: the service's own state, and the last 24 hours. Nothing of where anything is. */
export interface StatusSummary {
  at: string;
  service: {
    version: string;
    /** Of the process that answers. */
    startedAt: string;
    engine: 'embedded' | 'postgresql';
    database: 'up' | 'down';
    degraded: boolean;
  };
  readModel: {
    /** The moment that answers show. */
    updatedAt: string;
    /** How far it may be behind the database, ms. */
    ageMs: number;
    peers: number;
    computes: number;
    registrations: number;
  };
  /** The last full minute over all processes; null in the first one. */
  heartbeats: { minute: string; pings: number; announces: number; servers: number } | null;
  genesis: {
    label: string;
    /** False: no URL to check is configured. */
    configured: boolean;
    status: GenesisStatus;
    checkedAt: string | null;
    lastSeen: string | null;
    /** Of the last check that succeeded, ms. */
    latencyMs: number | null;
    /** When it came to be so, to the minute; null: it was so before the history begins. */
    since: string | null;
  };
  history: {
    /** The first minute of what follows; later than 24 hours ago in the service's first day. */
    since: string | null;
    slots: Slot[];
    genesis: Reachability;
  };
}

/** A quarter of an hour. */
export interface Slot {
  at: string;
  checksOk: number;
  checksFailed: number;
  /** Of the checks that succeeded, ms; null: there was none. */
  latencyMeanMs: number | null;
  latencyMaxMs: number | null;
  /** Committed, per minute in which a process ran; null: there was none. */
  pingsPerMinute: number | null;
  announcesPerMinute: number | null;
}

/** A minute in which some of the checks failed counts on either side, by its share. */
export interface Reachability {
  upMinutes: number;
  downMinutes: number;
  /** Since the history began: without a check. */
  uncheckedMinutes: number;
  /** Of the minutes with checks, from 0 to 1; null: there were none. */
  upShare: number | null;
}

export const SLOT_MS = 15 * MINUTE_MS;
const SLOTS = HISTORY_MS / SLOT_MS;

export function summarize(
  s: ServiceContext,
  state: { startedAt: number; embedded: boolean; database: 'up' | 'down'; minutes: Minutes },
): StatusSummary {
  const now = s.clock();
  const { minutes } = state;
  const { health } = s.genesis;
  const { label, healthUrl } = s.config.genesis;
  const lastFull = minuteOf(now) - MINUTE_MS;
  const full = minutes.get(lastFull);
  const [first] = minutes.keys();
  return {
    at: iso(now),
    service: {
      version: packageJson.version,
      startedAt: iso(state.startedAt),
      engine: state.embedded ? 'embedded' : 'postgresql',
      database: state.database,
      degraded: state.database === 'down' || s.live.degraded(now),
    },
    readModel: {
      updatedAt: iso(s.live.asOf(now)),
      ageMs: s.live.ageMs(now),
      peers: s.live.peers.size,
      computes: s.live.computes.size,
      registrations: s.live.registrations.size,
    },
    heartbeats: full
      ? {
          minute: iso(lastFull),
          pings: full.pings,
          announces: full.announces,
          servers: full.servers,
        }
      : null,
    genesis: {
      label,
      configured: healthUrl !== undefined,
      status: health.status,
      checkedAt: isoOrNull(health.checkedAt),
      lastSeen: isoOrNull(health.lastSeen),
      latencyMs: health.latencyMs,
      since: isoOrNull(statusSince(minutes, health.status)),
    },
    history: {
      since: isoOrNull(first ?? null),
      slots: slotsOf(minutes, now),
      genesis: reachability(minutes, now),
    },
  };
}

const iso = (moment: number) => new Date(moment).toISOString();
const isoOrNull = (moment: number | null) => (moment === null ? null : iso(moment));

/** The quarter-hours of the last 24 hours, as clocks have them, the one that is running last. */
export function slotsOf(minutes: Minutes, now: number): Slot[] {
  const first = now - (now % SLOT_MS) - (SLOTS - 1) * SLOT_MS;
  return Array.from({ length: SLOTS }, (_, n) => {
    const at = first + n * SLOT_MS;
    const sum = { checksOk: 0, checksFailed: 0, latencySumMs: 0, pings: 0, announces: 0 };
    let latencyMaxMs = 0;
    let counted = 0;
    for (let minute = at; minute < at + SLOT_MS; minute += MINUTE_MS) {
      const counts = minutes.get(minute);
      if (!counts) continue;
      sum.checksOk += counts.checksOk;
      sum.checksFailed += counts.checksFailed;
      sum.latencySumMs += counts.latencySumMs;
      latencyMaxMs = Math.max(latencyMaxMs, counts.latencyMaxMs);
      // The minute that is running would look like a drop.
      if (minute === minuteOf(now)) continue;
      counted++;
      sum.pings += counts.pings;
      sum.announces += counts.announces;
    }
    const mean = (total: number, n: number) => (n === 0 ? null : Math.round(total / n));
    return {
      at: iso(at),
      checksOk: sum.checksOk,
      checksFailed: sum.checksFailed,
      latencyMeanMs: mean(sum.latencySumMs, sum.checksOk),
      latencyMaxMs: sum.checksOk === 0 ? null : latencyMaxMs,
      pingsPerMinute: mean(sum.pings, counted),
      announcesPerMinute: mean(sum.announces, counted),
    };
  });
}

const checks = ({ checksOk, checksFailed }: Readonly<Minute>) => checksOk + checksFailed;

export function reachability(minutes: Minutes, now: number): Reachability {
  let upMinutes = 0;
  let downMinutes = 0;
  for (const minute of minutes.values()) {
    if (checks(minute) === 0) continue;
    upMinutes += minute.checksOk / checks(minute);
    downMinutes += minute.checksFailed / checks(minute);
  }
  const [first = now] = minutes.keys();
  const checked = upMinutes + downMinutes;
  const all = minutes.size === 0 ? 0 : (minuteOf(now) - first) / MINUTE_MS + 1;
  return {
    upMinutes,
    downMinutes,
    uncheckedMinutes: all - checked,
    upShare: checked === 0 ? null : upMinutes / checked,
  };
}

/** The minute in which Genesis came to be in the state it is in; null where the history does not reach back so far. */
export function statusSince(minutes: Minutes, status: GenesisStatus): number | null {
  if (status === 'unknown') return null;
  let since: number | null = null;
  for (const [at, minute] of [...minutes].reverse()) {
    if (checks(minute) === 0) continue;
    const otherwise = status === 'online' ? minute.checksFailed : minute.checksOk;
    if (otherwise === checks(minute)) return since ?? at;
    if (otherwise > 0) return at;
    since = at;
  }
  return null;
}
