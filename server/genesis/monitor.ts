import type { GenesisStatus } from '#server/common/values.schema.ts';
import { withLimit } from '#server/common/time-limit.ts';

/**
 * The health of the bootstrap peer, checked in the background: a request never waits for it. The URL
 * stays in here; only what the check found is published.
 */

export const CHECK_EVERY_MS = 10_000;
export const CHECK_LIMIT_MS = 4000;

export interface GenesisHealth {
  status: GenesisStatus;
  /** End of the last check, ms. */
  checkedAt: number | null;
  /** End of the last check that succeeded, ms. */
  lastSeen: number | null;
  /** Of the last check that succeeded, ms. */
  latencyMs: number | null;
}

export class GenesisMonitor {
  #health: GenesisHealth = { status: 'unknown', checkedAt: null, lastSeen: null, latencyMs: null };
  /** Grows with each check. */
  #version = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #stop = new AbortController();

  constructor(
    private readonly url: string | undefined,
    private readonly clock: () => number,
    private readonly onCheck: (health: GenesisHealth) => void = () => undefined,
  ) {}

  get health(): Readonly<GenesisHealth> {
    return this.#health;
  }

  get version(): number {
    return this.#version;
  }

  /** Checks now and then every {@link CHECK_EVERY_MS}, one check at a time. Without a URL the health stays unknown. */
  start(): void {
    if (this.url !== undefined) void this.#run(this.url);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#stop.abort();
  }

  async #run(url: string): Promise<void> {
    const startedAt = performance.now();
    const healthy = await this.#answers(url);
    if (this.#stop.signal.aborted) return;
    const now = this.clock();
    this.#health = healthy
      ? {
          status: 'online',
          checkedAt: now,
          lastSeen: now,
          latencyMs: Math.round(performance.now() - startedAt),
        }
      : { ...this.#health, status: 'offline', checkedAt: now };
    this.#version++;
    this.onCheck(this.#health);
    const pause = Math.max(0, CHECK_EVERY_MS - (performance.now() - startedAt));
    this.#timer = setTimeout(() => void this.#run(url), pause).unref();
  }

  /** Any 2xx is healthy. Redirects are not followed: they would lead to a peer nobody configured. */
  async #answers(url: string): Promise<boolean> {
    try {
      return await withLimit(CHECK_LIMIT_MS, this.#stop.signal, async (signal) => {
        const headers = { accept: '*/*', 'user-agent': 'mesh-registry' };
        const response = await fetch(url, { redirect: 'manual', signal, headers });
        // Not a byte of the body is wanted: cancelling closes the connection instead of reading it.
        await response.body?.cancel();
        return response.ok;
      });
    } catch {
      return false;
    }
  }
}
