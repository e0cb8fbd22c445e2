import { Counter, Gauge, Registry } from 'prom-client';
import type { PeerStatus, RttStatus, SessionStatus } from '@mesh-registry/peer/base/status.ts';

/** Reasons are of our own making, and few: anything else would let others fill the monitor. */
const REASON = /^[a-z_]{1,32}$/;
const REASONS_MAX = 32;
const QUANTILES = [0, 0.5, 0.9, 1];

type Sample = readonly [value: number, labels?: Record<string, string | number>];

/**
 * The metrics of the peer process, in the text format of Prometheus. No label names another peer or an address, so
 * there is a bounded number of series.
 * @param protocol the version of the protocol between nodes
 */
export function metricsText(status: PeerStatus, protocol: number): Promise<string> {
  const registry = new Registry();
  addPeer(registry, status, protocol);
  addProcess(registry, status);
  return registry.metrics();
}

/** A metric without samples is left out. */
function addTo(registry: Registry, prefix = '') {
  const options = (name: string, help: string, samples: readonly Sample[]) => ({
    name: `${prefix}${name}`,
    help,
    labelNames: Object.keys(samples[0]?.[1] ?? {}),
    registers: [registry],
  });
  const gauge = (name: string, help: string, ...samples: Sample[]): void => {
    if (samples.length === 0) return;
    const metric = new Gauge(options(name, help, samples));
    for (const [value, labels = {}] of samples) metric.set(labels, value);
  };
  const counter = (name: string, help: string, ...samples: Sample[]): void => {
    if (samples.length === 0) return;
    const metric = new Counter(options(name, help, samples));
    for (const [value, labels = {}] of samples) metric.inc(labels, value);
  };
  return { gauge, counter };
}

function addPeer(registry: Registry, status: PeerStatus, protocol: number): void {
  const { peer, network, sessions, genesis, known, root, truth, log, alarms, stale } = status;
  const { gauge, counter } = addTo(registry, 'mesh_peer_');
  const quantiles = (field: keyof RttStatus) => quantilesOf(sessions, field);
  const inDirection = (direction: SessionStatus['direction']): Sample => [
    sessions.filter((session) => session.direction === direction).length,
    { direction },
  ];
  const ofKind = (kind: string): Sample => [
    alarms.filter((alarm) => alarm.kind === kind).length,
    { kind },
  ];
  gauge('info', 'This peer and its protocol.', [1, { peer, network, protocol }]);
  gauge('sessions', 'Connected peers.', inDirection('inbound'), inDirection('outbound'));
  gauge('known_peers', 'Peers with a signed record, connected or not.', [known]);
  gauge('genesis_configured', 'Bootstrap peers in the configuration.', [genesis.configured]);
  gauge('genesis_connected', 'Bootstrap peers that are connected.', [genesis.connected]);
  gauge(
    'rtt_min_seconds',
    'Shortest round trip: at most this, for a share of the sessions.',
    ...quantiles('min'),
  );
  gauge(
    'rtt_smoothed_seconds',
    'Mean round trip: at most this, for a share of the sessions.',
    ...quantiles('smoothed'),
  );
  gauge(
    'rtt_jitter_seconds',
    'Jitter of round trips: at most this, for a share of the sessions.',
    ...quantiles('jitter'),
  );
  gauge('root_version', 'Version of the root.', [root.version]);
  gauge('root_expires_timestamp_seconds', 'When the root expires.', [seconds(root.expires)]);
  if (truth) {
    gauge('truth_version', 'Version of the truth.', [truth.version]);
    gauge('truth_issued_timestamp_seconds', 'When it was signed.', [seconds(truth.issued)]);
    gauge('truth_expires_timestamp_seconds', 'When it expires.', [seconds(truth.expires)]);
    gauge('bans', 'Peers on the ban list.', [truth.bans]);
  }
  gauge('stale', '1 without a truth, or when root or truth have expired.', [Number(stale)]);
  gauge('log_height', 'Blocks in the log.', [log.height]);
  gauge(
    'alarms',
    'Signed forks that were found, and damage on disk.',
    ...(['truth_fork', 'log_fork', 'storage'] as const).map(ofKind),
  );
  counter('refusals_total', 'Refused or cut, by reason.', ...byReason(status.refusals));
  gauge('refused_by', 'Peers that refuse this one, by reason.', ...byReason(status.refusedBy));
}

/** The metrics of the process, by the names that other programs use. */
function addProcess(registry: Registry, { startedAt }: PeerStatus): void {
  const { gauge, counter } = addTo(registry);
  const { user, system } = process.cpuUsage();
  counter('process_cpu_seconds_total', 'User and system time.', [(user + system) / 1e6]);
  gauge('process_resident_memory_bytes', 'Memory in use.', [process.memoryUsage.rss()]);
  gauge('process_start_time_seconds', 'When it was started.', [seconds(startedAt)]);
}

function quantilesOf(sessions: readonly SessionStatus[], field: keyof RttStatus): Sample[] {
  const sorted = sessions
    .flatMap(({ rtt }) => (rtt ? [rtt[field] / 1000] : []))
    .sort((one, other) => one - other);
  return QUANTILES.flatMap((quantile): Sample[] => {
    const value = sorted[Math.ceil(quantile * (sorted.length - 1))];
    return value === undefined ? [] : [[value, { share: quantile }]];
  });
}

/** What is no reason of ours counts as `other`. */
function byReason(reasons: Record<string, number>): Sample[] {
  const counts = new Map<string, number>();
  for (const [reason, count] of Object.entries(reasons)) {
    const isOurs = REASON.test(reason) && counts.size < REASONS_MAX;
    const name = isOurs ? reason : 'other';
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return [...counts].map(([reason, count]) => [count, { reason }]);
}

const seconds = (time: string): number => Date.parse(time) / 1000;
