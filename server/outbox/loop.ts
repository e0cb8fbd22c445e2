import { createHmac } from 'node:crypto';
import type { LiveModel } from '#server/live/index.ts';

/** How often it checks for due messages, milliseconds. */
const POLL_MS = 5000;

/**
 * Works off an outbox in the background, so that no request waits for a receiver: every few seconds, and at once when
 * the status of a registration changes. One round runs at a time. Any number of processes may do so.
 */
export abstract class OutboxLoop {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** Another round was requested while one was running. */
  #again = false;
  readonly #end = new AbortController();

  /** @param onError called with what a round throws; the next one tries again */
  constructor(private readonly onError: (error: unknown) => void) {}

  /** Tries due messages until `end` aborts. @returns whether there may be more */
  protected abstract round(end: AbortSignal): Promise<boolean>;

  start(registrations: LiveModel['registrations']): void {
    this.#timer = setInterval(() => void this.send(), POLL_MS).unref();
    void this.send();
    registrations.follow({
      changed: (row, before) => {
        // A registration begins as pending_payment, of which there is no message.
        if (row.status !== (before?.status ?? 'pending_payment')) void this.send();
      },
      removed: () => undefined,
    });
  }

  /** Aborts the attempts under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#end.abort();
    await this.#running;
  }

  /** Tries all due messages. Resolves once each was tried, even if none was delivered. */
  send(): Promise<void> {
    if (this.#end.signal.aborted) return Promise.resolve();
    if (this.#running) {
      this.#again = true;
      return this.#running;
    }
    return (this.#running = this.#rounds().finally(() => (this.#running = undefined)));
  }

  async #rounds(): Promise<void> {
    do {
      this.#again = false;
      try {
        if (await this.round(this.#end.signal)) this.#again = true;
      } catch (error) {
        this.onError(error);
      }
    } while (this.#again && !this.#end.signal.aborted);
  }
}

/** The headers of a webhook's message at `now` (ms), signed as standardwebhooks.com specifies. */
export function signedHeaders(
  key: Buffer,
  { id, body }: { id: string; body: string },
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`);
  return {
    'content-type': 'application/json',
    'user-agent': 'mesh-registry',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature.digest('base64')}`,
  };
}
