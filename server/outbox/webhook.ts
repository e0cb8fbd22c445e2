import { lt } from 'drizzle-orm';
import { webhookMessages } from '#db/schema/index.ts';
import type { Expired } from '#server/common/rooms.ts';
import type { ServiceContext } from '#server/context.ts';
import { WebhookSender } from './webhook-sender.ts';

export { enqueueMessage, withdrawMessage, type WebhookMessage } from './webhook-messages.ts';
export { OutboxLoop } from './loop.ts';
export { signMessage } from './signature.ts';

/** The sender gives up on a message after a week; this long after, messages are deleted that no longer have a sender. */
const MESSAGE_MS = 8 * 86_400_000;

/** Messages to REVIEW_WEBHOOK_URL. Does nothing if there is none. */
export function createWebhook({ config, db, live, clock, log }: ServiceContext) {
  const sender =
    config.reviewWebhook === null ? null : new WebhookSender(db, config.reviewWebhook, clock, log);
  const expired: Expired[] = [
    [webhookMessages, (now) => lt(webhookMessages.createdAt, new Date(now - MESSAGE_MS))],
  ];
  return {
    expired,
    /** Sends every due message now. Also runs by itself. */
    send: () => sender?.send() ?? Promise.resolve(),
    start() {
      if (!sender) return;
      sender.start();
      live.registrations.follow({
        changed(row, before) {
          if (row.status !== before?.status) void sender.send();
        },
        removed: () => undefined,
      });
    },
    async stop() {
      await sender?.stop();
    },
  };
}
