import { OFFLINE_AFTER_MS } from '#server/common/values.schema.ts';
import type { LiveNode } from './node-lifecycle.ts';
import type { TrafficSummary } from './stats.ts';

export interface FleetProgress extends TrafficSummary, Census {
  elapsedMs: number;
  /** The most that a heartbeat of the last second was overdue: the fleet or the service lags. */
  lateMs: number;
  /** The wait between heartbeats that the service asks for, where it is longer than the interval. */
  slowedToMs: number | null;
  /** Why the service does not list some announced computes: one of its reasons. */
  unlistedReason: string | null;
  /** Set while there is no service to connect to. */
  outage: { code: string; forMs: number } | null;
}

interface Census {
  /**
   * By what the service last acknowledged, and by its own rule: older than 60 s is offline.
   * `waiting` nodes were never heard; `alive` is online + syncing + idle.
   */
  nodes: Record<'total' | 'alive' | 'online' | 'syncing' | 'idle' | 'offline' | 'waiting', number>;
  /** Rows in the last accepted announces, and how many of them are in the public directory. */
  computes: { announced: number; listed: number };
}

/** @param now milliseconds of performance.now() */
export function census(live: LiveNode[], now: number): Census {
  const nodes = { total: 0, alive: 0, online: 0, syncing: 0, idle: 0, offline: 0, waiting: 0 };
  const computes = { announced: 0, listed: 0 };
  for (const { acknowledged, announced } of live) {
    if (!acknowledged) nodes.waiting++;
    else if (now - acknowledged.at > OFFLINE_AFTER_MS) nodes.offline++;
    else nodes[acknowledged.status]++;
    computes.announced += announced.rows;
    computes.listed += announced.listed;
  }
  nodes.total = live.length;
  nodes.alive = nodes.online + nodes.syncing + nodes.idle;
  return { nodes, computes };
}

/** Three lines of at most some 80 characters, and a fourth one while something is unusual. */
export function formatProgress(progress: FleetProgress): string[] {
  const { nodes, computes, outage, lateMs, slowedToMs } = progress;
  const { online, syncing, idle, offline, waiting } = nodes;
  const lines = [
    `${clock(progress.elapsedMs)} ${nodes.alive}/${nodes.total} alive: ${online} online ` +
      `${syncing} syncing ${idle} idle, ${offline} offline${waiting ? ` ${waiting} to come` : ''}`,
    `${rate(progress.pingsPerSecond)} pings/s ${rate(progress.announcesPerSecond)} announces/s, ` +
      formatLatency(progress),
    `${computes.announced} computes announced, ${computes.listed} listed; ${formatErrors(progress)}`,
  ];
  if (outage) {
    const seconds = Math.round(outage.forMs / 1000);
    lines.push(`no service there for ${seconds} s (${outage.code}): trying again`);
  } else if (lateMs > 1000) {
    const seconds = (lateMs / 1000).toFixed(1);
    lines.push(`heartbeats are up to ${seconds} s late: the fleet or the service cannot keep up`);
  } else if (slowedToMs !== null) {
    lines.push(`the service asks for ${slowedToMs / 1000} s between heartbeats, which is kept to`);
  }
  return lines;
}

/** What the fleet did, in a few lines, for the end of a run. */
export function formatSummary(progress: FleetProgress): string[] {
  const { computes, unlistedReason, lastError } = progress;
  const reason = computes.listed < computes.announced ? unlistedReason : null;
  const lines = [
    `${progress.pings} heartbeats and ${progress.announces} announces accepted ` +
      `in ${clock(progress.elapsedMs)}; ${formatErrors(progress)}`,
    `at last ${formatLatency(progress)}; ${computes.listed} of ${computes.announced} announced ` +
      `computes listed${reason ? ` (the others: ${reason})` : ''}`,
  ];
  if (lastError) lines.push(`last error: ${lastError}`);
  return lines;
}

function formatLatency({ latencyMs }: FleetProgress): string {
  if (!latencyMs) return 'no answers in 10 s';
  const { p50, p95, p99 } = latencyMs;
  return `p50 ${milliseconds(p50)} p95 ${milliseconds(p95)} p99 ${milliseconds(p99)} ms`;
}

function formatErrors({ errors }: FleetProgress): string {
  const kinds = Object.entries(errors).sort(([, a], [, b]) => b - a);
  if (kinds.length === 0) return 'no errors';
  return `errors: ${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
}

function milliseconds(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

function rate(value: number): string {
  return value < 100 ? value.toFixed(1) : value.toFixed(0);
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
