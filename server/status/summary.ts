import type { GenesisStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { ServiceContext } from '#server/context.ts';
import type { GenesisMonitor } from '#server/mesh/index.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { HISTORY_MS, MINUTE_MS, minuteOf, type Minute, type Minutes } from './recorder.ts';

export const SLOT_MS = 15 * MINUTE_MS;
const SLOTS = HISTORY_MS / SLOT_MS;

export interface ServiceState {
  /** When the process that answers started, ms. */
  startedAt: number;
  embedded: boolean;
  database: 'up' | 'down';
  /** Full: nothing is written until there is space on the disk again. */
  storage: 'ok' | 'full';
  genesis: GenesisMonitor;
  minutes: Minutes;
}

/** The content of /status: the state of the service and its last 24 hours, without any addresses. */
export type StatusSummary = ReturnType<typeof summarize>;

export function summarize(context: ServiceContext, state: ServiceState) {
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
      engine: state.embedded ? ('embedded' as const) : ('postgresql' as const),
      database: state.database,
      storage: state.storage,
      degraded: state.database === 'down' || live.degraded(),
    },
    readModel: {
      /** The moment that answers describe. */
      updatedAt: iso(live.asOf(now)),
      /** How far it may be behind the database, ms. */
      ageMs: live.ageMs(),
      peers: live.peers.size,
      computes: live.computes.size,
      registrations: live.registrations.size,
    },
    /** The last full minute over all processes; null during the first one. */
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
      /** False if no URL to check is configured. */
      configured: healthUrl !== undefined,
      status: health.status,
      checkedAt: isoOrNull(health.checkedAt),
      lastSeen: isoOrNull(health.lastSeen),
      /** Duration of the last successful check, ms. */
      latencyMs: health.latencyMs,
      /** Since when it has this status, to the minute; null if since before the history begins. */
      since: isoOrNull(statusSince(minutes, health.status)),
    },
    history: {
      /** The first minute of the history; less than 24 hours ago on the service's first day. */
      since: isoOrNull(first ?? null),
      slots: slotsOf(minutes, now),
      genesis: reachability(minutes, now),
    },
  };
}

const iso = (moment: number) => new Date(moment).toISOString();
const isoOrNull = (moment: number | null) => (moment === null ? null : iso(moment));

/** A quarter of an hour. */
export type Slot = ReturnType<typeof slotsOf>[number];

/** The quarter-hours of the last 24 hours, aligned to the clock, the current one last. */
export function slotsOf(minutes: Minutes, now: number) {
  const first = now - (now % SLOT_MS) - (SLOTS - 1) * SLOT_MS;
  return Array.from({ length: SLOTS }, (_, n) => {
    const at = first + n * SLOT_MS;
    const starts = Array.from({ length: SLOT_MS / MINUTE_MS }, (_, n) => at + n * MINUTE_MS);
    const counted = starts.flatMap((start) => minutes.get(start) ?? []);
    // The current minute is incomplete, and would look like a drop.
    const whole = starts.flatMap((start) =>
      start === minuteOf(now) ? [] : (minutes.get(start) ?? []),
    );
    const sum = (of: Readonly<Minute>[], name: keyof Minute) =>
      of.reduce((total, minute) => total + minute[name], 0);
    const mean = (total: number, n: number) => (n === 0 ? null : Math.round(total / n));
    const checksOk = sum(counted, 'checksOk');
    return {
      at: iso(at),
      checksOk,
      checksFailed: sum(counted, 'checksFailed'),
      /** Over the successful checks, ms; null if there were none. */
      latencyMeanMs: mean(sum(counted, 'latencySumMs'), checksOk),
      latencyMaxMs: checksOk === 0 ? null : Math.max(...counted.map((each) => each.latencyMaxMs)),
      /** Committed, per minute in which a process ran; null if there was none. */
      pingsPerMinute: mean(sum(whole, 'pings'), whole.length),
      announcesPerMinute: mean(sum(whole, 'announces'), whole.length),
    };
  });
}

const checksIn = ({ checksOk, checksFailed }: Readonly<Minute>) => checksOk + checksFailed;

/** How long Genesis was reachable. */
export type Reachability = ReturnType<typeof reachability>;

/** How long Genesis answered. A minute in which some checks failed counts proportionally on both sides. */
export function reachability(minutes: Minutes, now: number) {
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
    /** Minutes without a check since the history began. */
    uncheckedMinutes: all - checked,
    /** Share of the minutes with checks, from 0 to 1; null if there were none. */
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
