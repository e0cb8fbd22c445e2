import { and, asc, eq, lt, lte } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Db } from '#db/client.ts';
import { webhookMessages } from '#db/schema/index.ts';
import type { Config } from '#server/config.ts';
import type { Expired } from '#server/common/rooms.ts';
import { withTimeout } from '#server/common/with-timeout.ts';
import type { ServiceContext } from '#server/context.ts';
import { OutboxLoop, signedHeaders } from './loop.ts';

/** The sender gives up on a message after a week; this long after, messages are deleted that no longer have a sender. */
const MESSAGE_MS = 8 * 86_400_000;

/** Messages to REVIEW_WEBHOOK_URL. Does nothing if there is none. */
export function createWebhook({ config, db, live, clock, log }: ServiceContext) {
  const { reviewWebhook } = config;
  const sender = reviewWebhook && new WebhookSender(db, reviewWebhook, clock, log);
  return {
    expired: [
      [webhookMessages, (now) => lt(webhookMessages.createdAt, new Date(now - MESSAGE_MS))],
    ] satisfies Expired[],
    /** Sends every due message now. Also runs by itself. */
    send: () => sender?.send() ?? Promise.resolve(),
    start: () => sender?.start(live.registrations),
    stop: () => sender?.stop(),
  };
}

type ReviewWebhook = NonNullable<Config['reviewWebhook']>;

/** A receiver that takes longer has failed (ms). */
const TIMEOUT_MS = 10_000;
/** Messages per round, oldest first. */
const ROUND_SIZE = 50;
/** The pause after the n-th failed attempt (ms): 15 s, 30 s, … 10 minutes. */
const pauseAfter = (attempts: number): number => Math.min(15_000 * 2 ** (attempts - 1), 600_000);
/** Age at which a message is given up, with an error in the log (ms). */
const GIVE_UP_MS = 7 * 86_400_000;

type Message = typeof webhookMessages.$inferSelect;

/**
 * Sends the messages of the outbox to REVIEW_WEBHOOK_URL, signed as standardwebhooks.com specifies, and repeats each
 * until the receiver answers with a 2xx. In the background, so that no request waits for a receiver. Any number of
 * processes may send: each attempt belongs to one of them. A message can arrive twice, with the same id, if the
 * receiver accepts it and fails before it answers.
 */
class WebhookSender extends OutboxLoop {
  constructor(
    private readonly db: Db,
    private readonly webhook: ReviewWebhook,
    private readonly clock: () => number,
    private readonly log: Logger,
  ) {
    super((error) => log.warn({ err: error }, 'could not process the webhook outbox'));
  }

  /** One message after the other. The round ends with the first failure: a dead receiver costs one timeout. */
  protected async round(end: AbortSignal): Promise<boolean> {
    const due = await this.db
      .select()
      .from(webhookMessages)
      .where(lte(webhookMessages.nextAttemptAt, new Date(this.clock())))
      .orderBy(asc(webhookMessages.createdAt))
      .limit(ROUND_SIZE);
    for (const found of due) {
      const message = await this.#claim(found);
      if (!message) continue;
      const failure = await this.#post(message, end);
      // This process is stopping and does not know whether the message arrived: it is sent again later.
      if (end.aborted) return false;
      if (failure !== null) {
        await this.#failed(message, failure);
        return false;
      }
      await this.#delete(message);
    }
    return due.length === ROUND_SIZE;
  }

  /** Claims the next attempt by postponing the one after it: another process then finds nothing due. */
  async #claim(found: Message): Promise<Message | undefined> {
    const attempts = found.attempts + 1;
    const [claimed] = await this.db
      .update(webhookMessages)
      .set({ attempts, nextAttemptAt: new Date(this.clock() + pauseAfter(attempts)) })
      .where(and(eq(webhookMessages.id, found.id), eq(webhookMessages.attempts, found.attempts)))
      .returning();
    return claimed;
  }

  /** @returns null if it arrived; otherwise a status or the name of an error, never the URL */
  async #post(message: Message, end: AbortSignal): Promise<string | null> {
    try {
      const headers = signedHeaders(this.webhook.key, message, this.clock());
      return await withTimeout(TIMEOUT_MS, end, async (signal) => {
        const request = { method: 'POST', redirect: 'manual', signal, headers } as const;
        const response = await fetch(this.webhook.url, { ...request, body: message.body });
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
      this.log.warn({ attempts, why }, 'the webhook receiver refused a message; retrying later');
      return;
    }
    this.log.error(
      { attempts, why },
      'the webhook receiver refused a message for a week; giving up',
    );
    await this.#delete(message);
  }

  async #delete({ id }: Message): Promise<void> {
    await this.db.delete(webhookMessages).where(eq(webhookMessages.id, id));
  }
}
