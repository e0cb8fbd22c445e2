import type { Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { UNKNOWN_REGION, type GenesisStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { Config } from '#server/config.ts';
import { withTimeout } from '#server/common/with-timeout.ts';
import { regionAt } from './regions.ts';

/** The times of the check, milliseconds. */
export interface CheckTimes {
  /** From the beginning of one check to the beginning of the next. */
  intervalMs: number;
  /** A peer that has not answered by then is offline. */
  timeoutMs: number;
}

export const CHECK_TIMES: CheckTimes = { intervalMs: 10_000, timeoutMs: 4000 };

/** How many checks are remembered: those of ten minutes. */
const CHECKS_KEPT = 60;

/** The last checks of the bootstrap peer by this process, since it started. */
export interface GenesisChecks {
  /** From the beginning of one check to the beginning of the next, milliseconds. */
  everyMs: number;
  /** End of the last one; null: none has ended. */
  lastAt: string | null;
  /** How long each took, milliseconds, the oldest first; null: it failed. At most 60. */
  latencies: (number | null)[];
}

export interface MonitorOptions extends Partial<CheckTimes> {
  /** Undefined: nothing is checked, and the health stays unknown. */
  url: string | undefined;
  /** Milliseconds since 1970. */
  clock: () => number;
  onCheck?: (health: GenesisHealth) => void;
}

export interface GenesisHealth {
  status: GenesisStatus;
  /** End of the last check, ms. */
  checkedAt: number | null;
  /** End of the last successful check, ms. */
  lastSeen: number | null;
  /** Duration of the last successful check, ms. */
  latencyMs: number | null;
}

/**
 * Checks the health of the bootstrap peer in the background: no request waits for it. The URL is never
 * published, only the result of the check.
 */
export class GenesisMonitor {
  #health: GenesisHealth = { status: 'unknown', checkedAt: null, lastSeen: null, latencyMs: null };
  #latencies: (number | null)[] = [];
  /** Grows with each check. */
  #version = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #stop = new AbortController();
  readonly #options: MonitorOptions & CheckTimes;

  constructor(options: MonitorOptions) {
    this.#options = { ...CHECK_TIMES, ...options };
  }

  get health(): Readonly<GenesisHealth> {
    return this.#health;
  }

  /** The last checks. Nothing is stored: after a restart they begin anew. */
  checks(): GenesisChecks {
    return {
      everyMs: this.#options.intervalMs,
      lastAt: isoOrNull(this.#health.checkedAt),
      latencies: this.#latencies,
    };
  }

  get version(): number {
    return this.#version;
  }

  /** Checks at once, and then at each interval; one check at a time. */
  start(): void {
    const { url } = this.#options;
    if (url !== undefined) void this.#run(url);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#stop.abort();
  }

  async #run(url: string): Promise<void> {
    const startedAt = performance.now();
    const healthy = await this.#answers(url);
    if (this.#stop.signal.aborted) return;
    const now = this.#options.clock();
    const latencyMs = Math.round(performance.now() - startedAt);
    this.#latencies = [...this.#latencies, healthy ? latencyMs : null].slice(-CHECKS_KEPT);
    this.#health = healthy
      ? { status: 'online', checkedAt: now, lastSeen: now, latencyMs }
      : { ...this.#health, status: 'offline', checkedAt: now };
    this.#version++;
    this.#options.onCheck?.(this.#health);
    const pause = Math.max(0, this.#options.intervalMs - (performance.now() - startedAt));
    this.#timer = setTimeout(() => void this.#run(url), pause).unref();
  }

  /** Any 2xx is healthy. Redirects are not followed: they could lead to a peer that nobody configured. */
  async #answers(url: string): Promise<boolean> {
    try {
      return await withTimeout(this.#options.timeoutMs, this.#stop.signal, async (signal) => {
        const headers = { accept: '*/*', 'user-agent': 'mesh-registry' };
        const response = await fetch(url, { redirect: 'manual', signal, headers });
        // The body does not matter: cancelling closes the connection without reading it.
        await response.body?.cancel();
        return response.ok;
      });
    } catch {
      return false;
    }
  }
}

const isoOrNull = (moment: number | null) =>
  moment === null ? null : new Date(moment).toISOString();

/** The bootstrap peer: its configuration and the result of the last health check. */
export function presentGenesis({
  config,
  genesis,
}: {
  config: Config;
  genesis: Pick<GenesisMonitor, 'health'>;
}): Genesis {
  const { label, region, lat, lng, since, placed } = config.genesis;
  const { status, checkedAt, lastSeen, latencyMs } = genesis.health;
  return {
    id: 'genesis',
    label,
    class: 'L',
    region: region ?? (placed ? regionAt(lat, lng, config.coordinateGrid) : UNKNOWN_REGION),
    role: 'genesis',
    status,
    lat,
    lng,
    joinedAt: since?.toISOString() ?? null,
    lastSeen: isoOrNull(lastSeen),
    checkedAt: isoOrNull(checkedAt),
    latencyMs,
  };
}
