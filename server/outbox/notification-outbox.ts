import { and, eq, inArray } from 'drizzle-orm';
import { UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import {
  notificationMessages,
  notificationTargets,
  registrations,
  type NotificationTarget,
  type OutageRow,
  type RegistrationRow,
} from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { messageId, notification, pageUrl, type Notification } from './notification-kinds.ts';
import { decisionOf, undoneTooLate } from './webhook-messages.ts';

const MINUTE_MS = 60_000;

type Context = Pick<ServiceContext, 'config'>;
type Watched = Pick<RegistrationRow, 'name' | 'nodeId' | 'id'>;

/**
 * Writes the message about a reviewer's decision, if the holder wants it. In the transaction of the change: neither is
 * committed without the other. It is due once the decision can no longer be undone.
 */
export async function enqueueDecision(
  tx: Db,
  { config }: Context,
  before: Pick<RegistrationRow, 'status'>,
  row: RegistrationRow,
  now: number,
): Promise<void> {
  const decision = decisionOf(before, row);
  if (!decision) return;
  const [target] = await tx
    .select()
    .from(notificationTargets)
    .where(eq(notificationTargets.registrationId, row.id));
  if (!target?.enabled || !target.onDecision) return;
  const { name, nodeId, rejectionReason } = row;
  const message = notification('decided', now, {
    name,
    nodeId,
    decision,
    reason: decision === 'accepted' ? null : rejectionReason,
    url: pageUrl(config, `/registry/${name}`),
  });
  await enqueue(tx, row.id, message, { since: new Date(now), dueAt: now + UNDO_MS, now });
}

/**
 * Deletes the message about a decision, in the transaction that undoes it.
 * @param at when it was decided
 * @throws AppError `already_decided` (the holder was told)
 */
export async function withdrawDecision(tx: Db, registrationId: string, at: Date): Promise<void> {
  const [message] = await tx
    .delete(notificationMessages)
    .where(eq(notificationMessages.id, messageId(registrationId, 'decided', at)))
    .returning();
  if (message && message.attempts > 0) throw undoneTooLate();
}

/** Writes the messages about outages that have begun; each is due once its node has been silent for long enough. */
export async function enqueueOutages(
  tx: Db,
  context: Context,
  outages: OutageRow[],
  now: number,
): Promise<void> {
  for (const { outage, target, row } of await watchersOf(tx, outages))
    await enqueueOutage(tx, context, target, row, outage, now);
}

/** The message about one outage, for one holder. */
export async function enqueueOutage(
  tx: Db,
  { config }: Context,
  { offlineMinutes, enabled }: NotificationTarget,
  row: Watched,
  outage: OutageRow,
  now: number,
): Promise<void> {
  if (!enabled || offlineMinutes === null) return;
  const dueAt = Math.max(outage.measuredSince.getTime() + offlineMinutes * MINUTE_MS, now);
  const message = outageNotification(config, row, outage, dueAt);
  await enqueue(tx, row.id, message, { since: outage.offlineSince, dueAt, now });
}

/**
 * Writes the messages about nodes that are back. One whose outage has not been reported by now was not away for long
 * enough: its message is deleted, and nothing is said.
 */
export async function enqueueReturns(
  tx: Db,
  { config }: Context,
  outages: OutageRow[],
  now: number,
): Promise<void> {
  for (const { outage, target, row } of await watchersOf(tx, outages)) {
    const offline = messageId(row.id, 'offline', outage.offlineSince);
    await tx
      .delete(notificationMessages)
      .where(and(eq(notificationMessages.id, offline), eq(notificationMessages.attempts, 0)));
    const [reported] = await tx
      .select({ id: notificationMessages.id })
      .from(notificationMessages)
      .where(eq(notificationMessages.id, offline));
    if (!reported || !target.enabled || !target.onReturn) continue;
    const message = outageNotification(config, row, outage, now);
    await enqueue(tx, row.id, message, { since: outage.offlineSince, dueAt: now, now });
  }
}

/** @param at when it is due or was heard (ms) */
const outageNotification = (
  config: Context['config'],
  { name, nodeId }: Watched,
  { offlineSince, backAt }: OutageRow,
  at: number,
): Notification =>
  notification(backAt === null ? 'offline' : 'back', at, {
    name,
    nodeId,
    offlineSince: offlineSince.toISOString(),
    backAt: backAt?.toISOString() ?? null,
    url: pageUrl(config, `/nodes/${nodeId}`),
  });

/** Every holder of an active name of these nodes who has an address. */
async function watchersOf(tx: Db, outages: OutageRow[]) {
  const byNode = new Map(outages.map((outage) => [outage.nodeId, outage]));
  if (byNode.size === 0) return [];
  const found = await tx
    .select({ target: notificationTargets, row: registrations })
    .from(notificationTargets)
    .innerJoin(registrations, eq(registrations.id, notificationTargets.registrationId))
    .where(
      and(inArray(registrations.nodeId, [...byNode.keys()]), eq(registrations.status, 'active')),
    );
  return found.flatMap(({ target, row }) => {
    const outage = byNode.get(row.nodeId);
    return outage ? { outage, target, row } : [];
  });
}

/** @param when `since` tells it from other events of its kind; `dueAt` and `now` in ms */
async function enqueue(
  tx: Db,
  registrationId: string,
  { event, body }: Notification,
  { since, dueAt, now }: { since: Date; dueAt: number; now: number },
): Promise<void> {
  await tx
    .insert(notificationMessages)
    .values({
      id: messageId(registrationId, event, since),
      registrationId,
      event,
      body,
      createdAt: new Date(now),
      nextAttemptAt: new Date(dueAt),
    })
    .onConflictDoNothing();
}
