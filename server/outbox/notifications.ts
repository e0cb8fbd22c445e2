import { gt, lt, ne, sql } from 'drizzle-orm';
import { OUTAGE_KEPT_MS } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import {
  notificationMessages,
  notificationTargets,
  registrations,
  type OutageRow,
  type RegistrationRow,
} from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import type { Expired } from '#server/common/rooms.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { PublicPoster, type Outcome } from './delivery.ts';
import { messageId, notification, pageUrl } from './notification-kinds.ts';
import { enqueueOutages, enqueueReturns } from './notification-outbox.ts';
import { deliveryOf, NotificationSender } from './notification-sender.ts';
import {
  readSettings,
  removeSettings,
  renewSecret,
  requireTarget,
  saveSettings,
  switchSettings,
} from './notification-settings.ts';
import type { SaveNotifications } from './notifications.schema.ts';

/** How long the holder of a registration that has ended can still be told so, milliseconds: retries included. */
const ENDED_TARGET_MS = 7 * 86_400_000;

/**
 * Tells the holders of registrations what happened, at the addresses they chose.
 * @param allowLoopback receivers on this machine, without TLS: for tests only
 */
export function createNotifications(context: ServiceContext, { allowLoopback = false } = {}) {
  const { db, clock, live } = context;
  const poster = new PublicPoster(allowLoopback);
  const sender = new NotificationSender(context, poster);
  const ended = new AbortController();

  return {
    expired: [
      [
        notificationMessages,
        (now) => lt(notificationMessages.createdAt, new Date(now - OUTAGE_KEPT_MS)),
      ],
      // The address leaves with its registration, or a while after that has ended.
      [
        notificationTargets,
        (now) =>
          sql`not exists (select 1 from ${registrations} where ${registrations.id} = ${notificationTargets.registrationId} and (${ne(registrations.status, 'rejected')} or ${gt(registrations.updatedAt, new Date(now - ENDED_TARGET_MS))}))`,
      ],
    ] satisfies Expired[],
    settings: (registrationId: string) => readSettings(context, registrationId),
    save: (row: RegistrationRow, input: SaveNotifications) =>
      saveSettings(context, row, input, allowLoopback),
    switch: (row: RegistrationRow, enabled: boolean) => switchSettings(context, row, enabled),
    renewSecret: (row: RegistrationRow) => renewSecret(context, row),
    remove: (registrationId: string) => removeSettings(context, registrationId),
    /**
     * Sends a message now and waits for the receiver. @returns what it answered
     * @throws AppError `not_found`, `rate_limited`, `unavailable`
     */
    async test(row: RegistrationRow): Promise<Outcome> {
      const target = await requireTarget(db, row.id);
      const waitMs = await sender.countDelivery(target);
      if (waitMs > 0)
        throw new AppError('rate_limited', 'Too many messages. Try again later.', {
          retryAfter: Math.ceil(waitMs / 1000),
        });
      const at = new Date(clock());
      const { id, name, nodeId } = row;
      const url = pageUrl(context.config, `/registry/${name}`);
      const message = {
        id: messageId(id, 'test', at),
        registrationId: id,
        ...notification('test', at.getTime(), { name, nodeId, url }),
        createdAt: at,
        attempts: 1,
      };
      const outcome = await poster.post(deliveryOf(target, message, clock()), ended.signal);
      const deliveredAt = outcome.delivered ? new Date(clock()) : null;
      await withRetry(() =>
        db
          .insert(notificationMessages)
          .values({ ...message, deliveredAt, outcome: outcome.words })
          .onConflictDoNothing(),
      );
      return outcome;
    },
    /** What follows outages, in the transaction that stores them. */
    outages: {
      began: (tx: Db, outages: OutageRow[]) => enqueueOutages(tx, context, outages, clock()),
      ended: (tx: Db, outages: OutageRow[]) => enqueueReturns(tx, context, outages, clock()),
    },
    /** Sends every due message now. Also runs by itself. */
    send: () => sender.send(),
    start: () => sender.start(live.registrations),
    async stop() {
      ended.abort();
      await sender.stop();
    },
  };
}
