import { and, asc, eq, lte } from 'drizzle-orm';
import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import type { Db } from '#db/client.ts';
import { webhookMessages } from '#db/schema.ts';
import { withLimit } from '#server/common/time-limit.ts';

/**
 * Sends what services/webhook-messages.ts has written to REVIEW_WEBHOOK_URL, signed as
 * standardwebhooks.com has it, until it is taken with a 2xx: in the background, so that nobody waits for
 * a receiver. Any number of processes may send; each attempt is one process's alone. A message may arrive
 * twice (a receiver that took it and died before it said so), with the same id.
 */

export interface ReviewWebhook {
  url: string;
  /** Signs the messages. */
  key: Buffer;
}

/** How often it looks for what is due (ms); what this process itself writes is sent at once. */
const LOOK_MS = 5000;
/** A receiver that takes longer has not taken it (ms). */
const LIMIT_MS = 10_000;
/** Messages that are read at once; of what is beyond the next round sees the oldest. */
const ROUND = 50;
/** After the n-th attempt that failed, the next one is this much later (ms): 15 s, 30 s, … 10 minutes. */
const pauseAfter = (attempts: number): number => Math.min(15_000 * 2 ** (attempts - 1), 600_000);
/** Then it is given up, and the log says so (ms). */
const GIVE_UP_MS = 7 * 86_400_000;

type Message = typeof webhookMessages.$inferSelect;

export class WebhookSender {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** Somebody asked for a round while one was under way. */
  #again = false;
  readonly #end = new AbortController();

  constructor(
    private readonly db: Db,
    private readonly webhook: ReviewWebhook,
    private readonly clock: () => number,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.#timer = setInterval(() => void this.send(), LOOK_MS).unref();
    void this.send();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#end.abort();
    await this.#running;
  }

  /** Sends what is due. Resolves when each of it was tried, also where nothing could be sent. */
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
        await this.#round();
      } catch (error) {
        this.log.warn({ err: error }, 'the webhook could not be looked after');
      }
    } while (this.#again && !this.#end.signal.aborted);
  }

  /** One after the other, and none any more to a receiver that did not take one: a dead one costs one wait. */
  async #round(): Promise<void> {
    const due = await this.db
      .select()
      .from(webhookMessages)
      .where(lte(webhookMessages.nextAttemptAt, new Date(this.clock())))
      .orderBy(asc(webhookMessages.createdAt))
      .limit(ROUND);
    for (const found of due) {
      const message = await this.#take(found);
      if (!message) continue;
      const failure = await this.#post(message);
      // The process ends: whether it arrived is not known, so it is tried again.
      if (this.#end.signal.aborted) return;
      if (failure !== null) return this.#failed(message, failure);
      await this.#delete(message);
    }
    if (due.length === ROUND) this.#again = true;
  }

  /** Makes the attempt this process's: who comes second finds it put off. */
  async #take(found: Message): Promise<Message | undefined> {
    const attempts = found.attempts + 1;
    const [taken] = await this.db
      .update(webhookMessages)
      .set({ attempts, nextAttemptAt: new Date(this.clock() + pauseAfter(attempts)) })
      .where(and(eq(webhookMessages.id, found.id), eq(webhookMessages.attempts, found.attempts)))
      .returning();
    return taken;
  }

  /** @returns null, or why it did not arrive: a status, or the name of an error. Never the address. */
  async #post({ id, body }: Message): Promise<string | null> {
    const timestamp = String(Math.floor(this.clock() / 1000));
    try {
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'mesh-registry',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': sign(this.webhook.key, id, timestamp, body),
      };
      return await withLimit(LIMIT_MS, this.#end.signal, async (signal) => {
        const request = { method: 'POST', body, redirect: 'manual', signal, headers } as const;
        const response = await fetch(this.webhook.url, request);
        await response.body?.cancel();
        return response.ok ? null : `status ${response.status}`;
      });
    } catch (error) {
      return error instanceof Error ? error.name : 'error';
    }
  }

  async #failed(message: Message, why: string): Promise<void> {
    const { attempts, createdAt } = message;
    if (this.clock() - createdAt.getTime() < GIVE_UP_MS) {
      this.log.warn({ attempts, why }, 'the webhook did not take a message; it is tried again');
      return;
    }
    this.log.error({ attempts, why }, 'the webhook took a message on no day of a week: given up');
    await this.#delete(message);
  }

  async #delete({ id }: Message): Promise<void> {
    await this.db.delete(webhookMessages).where(eq(webhookMessages.id, id));
  }
}

function sign(key: Buffer, id: string, timestamp: string, body: string): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
