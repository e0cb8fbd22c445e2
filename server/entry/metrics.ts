import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { GENESIS_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import { ERROR_STATUS } from '#server/common/errors.schema.ts';
import type { Committed } from '#server/live/index.ts';
import type { Services } from '#server/services.ts';
import type { RateLimits } from './rate-limits.ts';

/** The metrics at /metrics, for Prometheus. prom-client adds its own, such as nodejs_eventloop_lag_*. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Gauges whose names say that they are counters: they are the sums of metrics that are there as well.
  for (const name of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${name}_total`);
  const registers = [registry];

  const requests = new Counter({
    name: 'mesh_http_requests_total',
    help: 'HTTP requests, by route, method and status.',
    labelNames: ['route', 'method', 'status'] as const,
    registers,
  });
  const seconds = new Histogram({
    name: 'mesh_http_request_seconds',
    help: 'Seconds to the response headers, by route.',
    labelNames: ['route'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const groups = new Histogram({
    name: 'mesh_group_size',
    help: 'Writes committed in one group.',
    labelNames: ['writer'] as const,
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
    registers,
  });
  const heartbeats = new Counter({
    name: 'mesh_heartbeats_total',
    help: 'Heartbeats and announcements written to the database, by kind.',
    labelNames: ['kind'] as const,
    registers,
  });

  const signatures = new Counter({
    name: 'mesh_signatures_total',
    help: 'Signatures and proofs of nodes, by how their check ended; required: requests refused for lack of one by the pinned key.',
    labelNames: ['outcome'] as const,
    registers,
  });

  // prom-client takes longer to look up labels than to count.
  const byRoute = new Map<string, Histogram.Internal<'route'>>();
  const byAnswer = new Map<string, Counter.Internal>();

  return {
    registry,
    request(route: string, method: string, status: number, durationSeconds: number): void {
      const answer = `${route} ${method} ${status}`;
      let counter = byAnswer.get(answer);
      if (!counter)
        byAnswer.set(answer, (counter = requests.labels(route, method, String(status))));
      counter.inc();
      // How long it took was up to the client.
      if (status === ERROR_STATUS.client_closed) return;
      let time = byRoute.get(route);
      if (!time) byRoute.set(route, (time = seconds.labels(route)));
      time.observe(durationSeconds);
    },
    /** From now on counts what the services do, and registers gauges that are read at each scrape. */
    observe(services: Services, limits: RateLimits): void {
      const countGroup = ({ kind, size }: Committed) => {
        groups.observe({ writer: kind }, size);
        heartbeats.inc({ kind }, size);
      };
      services.mesh.committed.on(countGroup);
      services.computes.committed.on(countGroup);
      services.identity.verified.on((outcome) => signatures.inc({ outcome }));
      const gauge = (name: string, help: string, read: () => number) =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(read());
          },
        });
      gauge(
        'mesh_read_model_age_seconds',
        'Largest possible lag of the read model behind the database, in seconds.',
        () => services.health.readModelAgeMs() / 1000,
      );
      gauge(
        'mesh_clock_offset_seconds',
        'By how much the database’s clock is ahead of this machine’s, in seconds. The database’s counts.',
        () => services.clockOffsetMs() / 1000,
      );
      const embedded = services.health.embedded();
      if (embedded) {
        gauge(
          'mesh_database_free_bytes',
          'Free disk space of the embedded database, in bytes.',
          () => embedded.space.freeBytes,
        );
        gauge(
          'mesh_database_storage_full',
          '1 while writes are refused because the disk of the embedded database is almost full.',
          () => Number(embedded.space.full),
        );
        // Where several processes run, the one that serves nobody starts the database, and only it can count.
        if (embedded.restarts() !== null)
          gauge(
            'mesh_database_restarts',
            'How often the embedded database has ended by itself and was started again, since the process started.',
            () => embedded.restarts() ?? NaN,
          );
      }
      gauge('mesh_event_streams', 'Open event streams.', () => limits.openStreams);
      gauge('mesh_peers', 'Known peers.', () => services.health.counts().peers);
      gauge(
        'mesh_computes',
        'Known compute offers, listed or not.',
        () => services.health.counts().computes,
      );
      gauge('mesh_pinned_nodes', 'Node ids that are pinned to a key.', () =>
        services.identity.pins(),
      );
      gauge(
        'mesh_registry_log_height',
        'Blocks of the registry’s public log; 0: none, or it can’t be read.',
        () => logHeight(services),
      );
      gauge(
        'mesh_registry_log_failing',
        '1 if the last attempt to write the registry’s public log has failed.',
        () => Number(services.registryLog.failing()),
      );
      gauge(
        'mesh_genesis_latency_seconds',
        'Duration of the last successful check of Genesis, in seconds.',
        () => (services.health.genesis().latencyMs ?? NaN) / 1000,
      );
      new Gauge({
        name: 'mesh_genesis_status',
        help: '1 for the current status of the bootstrap peer, 0 for the others.',
        labelNames: ['status'] as const,
        registers,
        collect() {
          for (const status of GENESIS_STATUSES)
            this.set({ status }, services.health.genesis().status === status ? 1 : 0);
        },
      });
    },
  };
}

function logHeight({ registryLog }: Services): number {
  try {
    return registryLog.head()?.height ?? 0;
  } catch {
    return 0;
  }
}

export type Metrics = ReturnType<typeof createMetrics>;
