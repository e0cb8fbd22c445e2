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
/** Messages per statement. */
const TOGETHER = 1000;

type Context = Pick<ServiceContext, 'config'>;
type Watched = Pick<RegistrationRow, 'name' | 'nodeId' | 'id'>;

/** An outage, and a holder of an active name of its node who has an address. */
interface Watcher {
  outage: OutageRow;
  target: NotificationTarget;
  row: Watched;
}

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
  const when = { since: new Date(now), dueAt: now + UNDO_MS };
  await enqueue(tx, [{ ...message, registrationId: row.id, ...when }], now);
}

/** Writes the message about a reviewer's question, if the holder wants it, in the transaction of the question. */
export async function enqueueQuestion(
  tx: Db,
  { config }: Context,
  { id: registrationId, name, nodeId }: Watched,
  { id, text }: { id: string; text: string },
  now: number,
): Promise<void> {
  const [target] = await tx
    .select()
    .from(notificationTargets)
    .where(eq(notificationTargets.registrationId, registrationId));
  if (!target?.enabled || !target.onDecision) return;
  // The page of the registration has its secret in its address. This one lists those of the browser.
  const message = notification('asked', now, {
    name,
    nodeId,
    question: text,
    url: pageUrl(config, '/register'),
  });
  await enqueue(tx, [{ ...message, registrationId, since: id, dueAt: now }], now);
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
  for (const watchers of await watchersOf(tx, outages)) {
    const messages = watchers.flatMap((watcher) => outageMessage(context, watcher, now));
    await enqueue(tx, messages, now);
  }
}

/** The message about one outage, for one holder. */
export async function enqueueOutage(
  tx: Db,
  context: Context,
  watcher: Watcher,
  now: number,
): Promise<void> {
  await enqueue(tx, outageMessage(context, watcher, now), now);
}

/** @returns none if the holder doesn't want it */
function outageMessage({ config }: Context, { outage, target, row }: Watcher, now: number) {
  const { offlineMinutes, enabled } = target;
  if (!enabled || offlineMinutes === null) return [];
  const dueAt = Math.max(outage.measuredSince.getTime() + offlineMinutes * MINUTE_MS, now);
  const message = outageNotification(config, row, outage, dueAt);
  return [{ ...message, registrationId: row.id, since: outage.offlineSince, dueAt }];
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
  for (const watchers of await watchersOf(tx, outages)) {
    const reported = await reportedOutages(tx, watchers.map(offlineIdOf));
    const returns = watchers
      .filter((watcher) => reported.has(offlineIdOf(watcher)))
      .filter(({ target }) => target.enabled && target.onReturn)
      .map(({ outage, row }) => ({
        ...outageNotification(config, row, outage, now),
        registrationId: row.id,
        since: outage.offlineSince,
        dueAt: now,
      }));
    await enqueue(tx, returns, now);
  }
}

const offlineIdOf = ({ row, outage }: Watcher) => messageId(row.id, 'offline', outage.offlineSince);

/** Deletes those of the messages of which no delivery was tried. @returns the ids of the others that there are */
async function reportedOutages(tx: Db, ids: string[]): Promise<Set<string>> {
  const { id, attempts } = notificationMessages;
  await tx.delete(notificationMessages).where(and(inArray(id, ids), eq(attempts, 0)));
  const rows = await tx.select({ id }).from(notificationMessages).where(inArray(id, ids));
  return new Set(rows.map((row) => row.id));
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

/**
 * Every holder of an active name of these nodes who has an address, in groups: what is written for a group takes a few
 * statements, however many there are.
 */
async function watchersOf(tx: Db, outages: OutageRow[]): Promise<Watcher[][]> {
  const byNode = new Map(outages.map((outage) => [outage.nodeId, outage]));
  if (byNode.size === 0) return [];
  const found = await tx
    .select({ target: notificationTargets, row: registrations })
    .from(notificationTargets)
    .innerJoin(registrations, eq(registrations.id, notificationTargets.registrationId))
    .where(
      and(inArray(registrations.nodeId, [...byNode.keys()]), eq(registrations.status, 'active')),
    );
  const watchers = found.flatMap(({ target, row }) => {
    const outage = byNode.get(row.nodeId);
    return outage ? { outage, target, row } : [];
  });
  const groups: Watcher[][] = [];
  for (let at = 0; at < watchers.length; at += TOGETHER)
    groups.push(watchers.slice(at, at + TOGETHER));
  return groups;
}

/** A message that is to be sent. */
interface NewMessage extends Notification {
  registrationId: string;
  /** Tells it from other events of its kind. */
  since: Date | string;
  /** Milliseconds since 1970. */
  dueAt: number;
}

/** Writes messages that are not there yet. @param now ms */
async function enqueue(tx: Db, messages: NewMessage[], now: number): Promise<void> {
  if (messages.length === 0) return;
  const rows = messages.map(({ registrationId, event, body, since, dueAt }) => ({
    id: messageId(registrationId, event, since),
    registrationId,
    event,
    body,
    createdAt: new Date(now),
    nextAttemptAt: new Date(dueAt),
  }));
  await tx
    .insert(notificationMessages)
    .values(rows.sort((a, b) => (a.id < b.id ? -1 : 1)))
    .onConflictDoNothing();
}
