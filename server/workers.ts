import cluster from 'node:cluster';

/** A worker that ran this long had started well, milliseconds: it is replaced at once. */
const SETTLED_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** How long to wait before a worker that has ended is replaced: ever longer while they end soon after their start. */
export class ForkPauses {
  #early = 0;

  /**
   * @param ranMs how long the worker ran, milliseconds
   * @returns milliseconds
   */
  after(ranMs: number): number {
    if (ranMs >= SETTLED_MS) {
      this.#early = 0;
      return 0;
    }
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#early++);
  }
}

/**
 * Runs `count` processes that share the port, until a signal ends them. One that ends by itself is replaced. If one
 * ends before any has become ready, all end: there is no database, for example, and nobody depends on us yet.
 * @param hooks.onReady called with the address once the first is ready
 * @param hooks.onEnd called once the last has ended; the process ends after it
 */
export function runWorkers(
  count: number,
  { onReady, onEnd }: { onReady: (url: string) => void; onEnd: () => Promise<void> | undefined },
): void {
  const pauses = new ForkPauses();
  const startedAt = new Map<number, number>();
  const waiting = new Set<NodeJS.Timeout>();
  let ready = false;
  let stopping = false;

  const fork = () => startedAt.set(cluster.fork().id, performance.now());
  const forkAfter = (ms: number) => {
    const timer = setTimeout(() => {
      waiting.delete(timer);
      fork();
    }, ms);
    waiting.add(timer);
  };
  const end = () => {
    stopping = true;
    waiting.forEach(clearTimeout);
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
    endAfterLast();
  };
  const endAfterLast = () => {
    if (startedAt.size === 0) void onEnd();
  };
  cluster.on('exit', (worker, code) => {
    const ranMs = performance.now() - (startedAt.get(worker.id) ?? 0);
    startedAt.delete(worker.id);
    if (stopping) return endAfterLast();
    if (ready) return forkAfter(pauses.after(ranMs));
    process.exitCode = code || 1;
    end();
  });
  cluster.on('listening', (_, { address, port }) => {
    if (!ready) onReady(`http://${address ?? '127.0.0.1'}:${port}`);
    ready = true;
  });
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  for (let n = 0; n < count; n++) fork();
}
