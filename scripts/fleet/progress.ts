import type { Census } from './node-lifecycle.ts';
import type { TrafficSummary } from './traffic.ts';

export interface FleetProgress extends TrafficSummary, Census {
  elapsedMs: number;
  /** How late the latest heartbeat of the last second was: more than a little means overload. */
  lateMs: number;
  /** The pause between heartbeats that the service asks for, if it is longer than the interval. */
  slowedToMs: number | null;
  /** A reason that the service gave for not listing a compute. */
  unlistedReason: string | null;
  /** Set while the service is unreachable. */
  outage: { code: string; forMs: number } | null;
}

/** Three lines of some 80 characters at most, and a fourth if something is unusual. */
export function formatProgress(progress: FleetProgress): string[] {
  const { nodes, computes } = progress;
  const joining = nodes.joining > 0 ? ` ${nodes.joining} joining` : '';
  const lines = [
    `${clock(progress.elapsedMs)} ${nodes.alive}/${nodes.total} alive: ${nodes.online} online ` +
      `${nodes.syncing} syncing ${nodes.idle} idle, ${nodes.offline} offline${joining}`,
    `${rate(progress.pingsPerSecond)} heartbeats/s ${rate(progress.announcesPerSecond)} announcements/s, ` +
      formatLatency(progress),
    `${computes.announced} compute offers announced, ${computes.listed} listed; ${formatErrors(progress)}`,
  ];
  const warning = formatWarning(progress);
  return warning === null ? lines : [...lines, warning];
}

function formatWarning({ outage, lateMs, slowedToMs }: FleetProgress): string | null {
  if (outage)
    return `service unreachable for ${Math.round(outage.forMs / 1000)} s (${outage.code}), retrying`;
  if (lateMs > 1000)
    return `heartbeats are up to ${(lateMs / 1000).toFixed(1)} s late: the fleet or the service is overloaded`;
  if (slowedToMs !== null)
    return `the service asks for ${slowedToMs / 1000} s between heartbeats; the fleet complies`;
  return null;
}

/** A few lines for the end of a run. */
export function formatSummary(progress: FleetProgress): string[] {
  const { computes, unlistedReason, lastError } = progress;
  const reason = computes.listed < computes.announced ? unlistedReason : null;
  const lines = [
    `${progress.pings} heartbeats and ${progress.announces} announcements accepted ` +
      `in ${clock(progress.elapsedMs)}; ${formatErrors(progress)}`,
    `last 10 s: ${formatLatency(progress)}; ${computes.listed} of ${computes.announced} announced ` +
      `compute offers listed${reason ? ` (the others: ${reason})` : ''}`,
  ];
  return lastError ? [...lines, `last error: ${lastError}`] : lines;
}

function formatLatency({ latencyMs }: FleetProgress): string {
  if (!latencyMs) return 'no response in 10 s';
  const { p50, p95, p99 } = latencyMs;
  return `p50 ${milliseconds(p50)} p95 ${milliseconds(p95)} p99 ${milliseconds(p99)} ms`;
}

function formatErrors({ errors }: FleetProgress): string {
  const kinds = Object.entries(errors).sort(([, a], [, b]) => b - a);
  if (kinds.length === 0) return 'no errors';
  return `errors: ${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
}

const milliseconds = (value: number) => value.toFixed(value < 10 ? 1 : 0);
const rate = (value: number) => value.toFixed(value < 100 ? 1 : 0);

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
