import packageJson from '../../package.json' with { type: 'json' };
import type { GenesisStatus } from '@mesh-registry/protocol/values.schema.ts';
import { HISTORY_MS, MINUTE_MS, minuteOf, type Minute, type Minutes } from './recorder.ts';
import type { ServiceContext } from '#server/context.ts';
import type { GenesisMonitor } from '#server/mesh/index.ts';

/** The content of /status: the state of the service and its last 24 hours, without any addresses. */
export interface StatusSummary {
  at: string;
  service: {
    version: string;
    /** Start of the process that answers. */
    startedAt: string;
    engine: 'embedded' | 'postgresql';
    database: 'up' | 'down';
    /** Full: nothing is written until there is space on the disk again. */
    storage: 'ok' | 'full';
    degraded: boolean;
  };
  readModel: {
    /** The moment that answers describe. */
    updatedAt: string;
    /** How far it may be behind the database, ms. */
    ageMs: number;
    peers: number;
    computes: number;
    registrations: number;
  };
  /** The last full minute over all processes; null during the first one. */
  heartbeats: { minute: string; pings: number; announces: number; servers: number } | null;
  genesis: {
    label: string;
    /** False if no URL to check is configured. */
    configured: boolean;
    status: GenesisStatus;
    checkedAt: string | null;
    lastSeen: string | null;
    /** Duration of the last successful check, ms. */
    latencyMs: number | null;
    /** Since when it has this status, to the minute; null if since before the history begins. */
    since: string | null;
  };
  history: {
    /** The first minute of the history; less than 24 hours ago on the service's first day. */
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
  /** Over the successful checks, ms; null if there were none. */
  latencyMeanMs: number | null;
  latencyMaxMs: number | null;
  /** Committed, per minute in which a process ran; null if there was none. */
  pingsPerMinute: number | null;
  announcesPerMinute: number | null;
}

/** How long Genesis was reachable. A minute in which some checks failed counts proportionally on both sides. */
export interface Reachability {
  upMinutes: number;
  downMinutes: number;
  /** Minutes without a check since the history began. */
  uncheckedMinutes: number;
  /** Share of the minutes with checks, from 0 to 1; null if there were none. */
  upShare: number | null;
}

export const SLOT_MS = 15 * MINUTE_MS;
const SLOTS = HISTORY_MS / SLOT_MS;

/** Summarizes the service and its history, for /status. */
export function summarize(
  context: ServiceContext,
  state: Pick<StatusSummary['service'], 'database' | 'storage'> & {
    genesis: GenesisMonitor;
    startedAt: number;
    embedded: boolean;
    minutes: Minutes;
  },
): StatusSummary {
  const { config, live, clock } = context;
  const now = clock();
  const { minutes } = state;
  const { health } = state.genesis;
  const { label, healthUrl } = config.genesis;
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
      storage: state.storage,
      degraded: state.database === 'down' || live.degraded(),
    },
    readModel: {
      updatedAt: iso(live.asOf(now)),
      ageMs: live.ageMs(),
      peers: live.peers.size,
      computes: live.computes.size,
      registrations: live.registrations.size,
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

/** The quarter-hours of the last 24 hours, aligned to the clock, the current one last. */
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
      // The current minute is incomplete, and would look like a drop.
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

const checksIn = ({ checksOk, checksFailed }: Readonly<Minute>) => checksOk + checksFailed;

/** The share of the history in which Genesis answered its checks. */
export function reachability(minutes: Minutes, now: number): Reachability {
  let upMinutes = 0;
  let downMinutes = 0;
  for (const minute of minutes.values()) {
    if (checksIn(minute) === 0) continue;
    upMinutes += minute.checksOk / checksIn(minute);
    downMinutes += minute.checksFailed / checksIn(minute);
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

/** The minute (ms) since which Genesis has its status; null if that was before the history begins. */
export function statusSince(minutes: Minutes, status: GenesisStatus): number | null {
  if (status === 'unknown') return null;
  let since: number | null = null;
  for (const [at, minute] of [...minutes].reverse()) {
    if (checksIn(minute) === 0) continue;
    const different = status === 'online' ? minute.checksFailed : minute.checksOk;
    if (different === checksIn(minute)) return since ?? at;
    if (different > 0) return at;
    since = at;
  }
  return null;
}
