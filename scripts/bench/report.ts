/** One line of the table. Numbers that do not apply are null. */
export interface Row {
  database: string;
  peers: number;
  what: string;
  /** Requests per second, or what `what` says. */
  perSecond: number | null;
  /** The share of the baseline's rate. */
  ratio: number | null;
  /** Of the service's processor time, microseconds per request. */
  cpuUs: number | null;
  /** How much of a core the load generator took beside the baseline, and the baseline itself, 0 to 1. */
  limit?: { generator: number; baseline: number };
  /** Milliseconds. */
  p50: number | null;
  p99: number | null;
  /** Errors, timeouts and unexpected status codes. */
  bad: number;
}

export const HEADER =
  'database  peers  what                                 /s   ratio  CPU µs   p50 ms  p99 ms';

const percent = (share: number) => `${Math.round(share * 100)} %`;

export function formatRow(row: Row): string {
  const number = (value: number | null, digits = 0) => value?.toFixed(digits) ?? '';
  return [
    row.database.padEnd(9),
    String(row.peers).padStart(6),
    `  ${row.what}`.padEnd(34),
    number(row.perSecond).padStart(8),
    number(row.ratio, 2).padStart(7),
    number(row.cpuUs).padStart(8),
    number(row.p50, 1).padStart(8),
    number(row.p99, 1).padStart(8),
    row.limit
      ? `  (baseline ${percent(row.limit.baseline)} busy, generator ${percent(row.limit.generator)})`
      : '',
    row.bad > 0 ? `  ${row.bad} failed requests` : '',
  ].join('');
}
