import { and, asc, eq, isNotNull, lte } from 'drizzle-orm';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import {
  notificationMessages,
  notificationTargets,
  type NotificationMessage,
  type NotificationTarget,
} from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { hostOf } from './address.ts';
import type { Delivery, PublicPoster } from './delivery.ts';
import { OutboxLoop, signedHeaders } from './loop.ts';
import {
  messageId,
  notificationData,
  NOTIFICATIONS,
  notificationWords,
} from './notification-kinds.ts';

/** Messages per round, those due first. */
const ROUND_SIZE = 100;
/** Deliveries at a time, so that a receiver that hangs does not hold up the others. */
const AT_A_TIME = 8;
/** The pause after the n-th failed attempt (ms): 30 s, 1 min, … one hour. */
const pauseAfter = (attempts: number): number => Math.min(30_000 * 2 ** (attempts - 1), 3_600_000);
/** After so many failed attempts, in about a day, a message is given up. */
const ATTEMPTS_MAX = 30;

/** Deliveries of this process, tests included: for one registration in an hour, to one host in a minute. */
const OF_REGISTRATION = { points: 30, duration: 3600 };
const TO_HOST = { points: 60, duration: 60 };

/**
 * Delivers the messages to holders, and repeats each until the receiver accepts it or a day has passed. Any number of
 * processes may do so: each attempt belongs to one of them.
 */
export class NotificationSender extends OutboxLoop {
  readonly #ofRegistration = new RateLimiterMemory(OF_REGISTRATION);
  readonly #toHost = new RateLimiterMemory(TO_HOST);

  constructor(
    private readonly context: ServiceContext,
    private readonly poster: PublicPoster,
  ) {
    super((error) =>
      context.log.warn({ err: error }, 'could not process the outbox of notifications'),
    );
  }

  /** Counts a delivery. @returns 0, or how long to wait because there were too many (ms) */
  async countDelivery({ registrationId, address }: NotificationTarget): Promise<number> {
    return (
      (await waitFor(this.#toHost, hostOf(address))) ||
      (await waitFor(this.#ofRegistration, registrationId))
    );
  }

  protected async round(end: AbortSignal): Promise<boolean> {
    const due = await this.context.db
      .select()
      .from(notificationMessages)
      .where(lte(notificationMessages.nextAttemptAt, new Date(this.context.clock())))
      .orderBy(asc(notificationMessages.nextAttemptAt))
      .limit(ROUND_SIZE);
    const waiting = [...due];
    const work = async () => {
      for (let next = waiting.shift(); next && !end.aborted; next = waiting.shift())
        await this.#deliver(next, end);
    };
    const results = await Promise.allSettled(Array.from({ length: AT_A_TIME }, work));
    for (const result of results) if (result.status === 'rejected') throw result.reason as Error;
    return due.length === ROUND_SIZE;
  }

  async #deliver(found: NotificationMessage, end: AbortSignal): Promise<void> {
    const [target] = await this.context.db
      .select()
      .from(notificationTargets)
      .where(eq(notificationTargets.registrationId, found.registrationId));
    if (!target?.enabled || !NOTIFICATIONS[found.event].wanted(target)) return this.#delete(found);
    if (found.event === 'back') {
      const offline = await this.#reportOf(found);
      if (!offline || isGivenUp(offline)) return this.#delete(found);
      // The outage is reported first.
      if (offline.nextAttemptAt) return this.#postpone(found, offline.nextAttemptAt.getTime() + 1);
    }
    const waitMs = await this.countDelivery(target);
    if (waitMs > 0) return this.#postpone(found, this.context.clock() + waitMs);
    const message = await this.#claim(found);
    if (!message) return;
    const outcome = await this.poster.post(deliveryOf(target, message, this.context.clock()), end);
    // This process is stopping and does not know whether the message arrived: it is sent again later.
    if (end.aborted) return;
    const done = outcome.delivered || message.attempts >= ATTEMPTS_MAX;
    if (!outcome.delivered)
      this.context.log.debug(
        { attempts: message.attempts, done },
        'a notification was not delivered',
      );
    await this.context.db
      .update(notificationMessages)
      .set({
        outcome: outcome.words,
        ...(done && { nextAttemptAt: null }),
        ...(outcome.delivered && { deliveredAt: new Date(this.context.clock()) }),
      })
      .where(eq(notificationMessages.id, message.id));
  }

  /** Claims the next attempt by postponing the one after it: another process then finds nothing due. */
  async #claim(found: NotificationMessage): Promise<NotificationMessage | undefined> {
    const attempts = found.attempts + 1;
    const [claimed] = await this.context.db
      .update(notificationMessages)
      .set({ attempts, nextAttemptAt: new Date(this.context.clock() + pauseAfter(attempts)) })
      .where(
        and(
          eq(notificationMessages.id, found.id),
          eq(notificationMessages.attempts, found.attempts),
          isNotNull(notificationMessages.nextAttemptAt),
        ),
      )
      .returning();
    return claimed;
  }

  /** The message that reported the outage which `back` ends. */
  async #reportOf({ registrationId, body }: NotificationMessage) {
    const { offlineSince } = notificationData('back', body);
    const id = messageId(registrationId, 'offline', new Date(offlineSince));
    const [offline] = await this.context.db
      .select()
      .from(notificationMessages)
      .where(eq(notificationMessages.id, id));
    return offline;
  }

  async #postpone({ id, attempts }: NotificationMessage, until: number): Promise<void> {
    await this.context.db
      .update(notificationMessages)
      .set({ nextAttemptAt: new Date(until) })
      .where(and(eq(notificationMessages.id, id), eq(notificationMessages.attempts, attempts)));
  }

  async #delete({ id }: NotificationMessage): Promise<void> {
    await this.context.db.delete(notificationMessages).where(eq(notificationMessages.id, id));
  }
}

const isGivenUp = ({ nextAttemptAt, deliveredAt }: NotificationMessage) =>
  nextAttemptAt === null && deliveredAt === null;

async function waitFor(limiter: RateLimiterMemory, key: string): Promise<number> {
  try {
    await limiter.consume(key);
    return 0;
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return Math.max(refusal.msBeforeNext, 1);
  }
}

/** The request that delivers a message at `now` (ms). */
export function deliveryOf(
  { kind, address, secret }: NotificationTarget,
  message: Pick<NotificationMessage, 'id' | 'event' | 'body'>,
  now: number,
): Delivery {
  if (kind === 'webhook') {
    const key = Buffer.from((secret ?? '').replace(/^whsec_/, ''), 'base64');
    return { address, body: message.body, headers: signedHeaders(key, message, now) };
  }
  const { title, tags, priority, text, url } = notificationWords(message);
  return {
    address,
    body: text,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'user-agent': 'mesh-registry',
      title,
      tags,
      priority,
      ...(url !== null && { click: url }),
    },
  };
}
