import { createHash } from 'node:crypto';
import type {
  NotificationMessage,
  NotificationTarget,
  OutageRow,
  RegistrationRow,
} from '#db/schema/index.ts';
import { signMessage } from './webhook.ts';
import type { Delivery } from './delivery.ts';
import {
  notification,
  notificationWords,
  type Notification,
  type NotificationData,
} from './notification-kinds.ts';

type Subject = Pick<RegistrationRow, 'name' | 'nodeId'>;

const pageUrl = (publicUrl: string | undefined, path: string) =>
  publicUrl === undefined ? null : `${publicUrl}${path}`;

export const decidedNotification = (
  row: RegistrationRow,
  decision: NotificationData<'decided'>['decision'],
  now: number,
  publicUrl: string | undefined,
): Notification =>
  notification('decided', now, {
    name: row.name,
    nodeId: row.nodeId,
    decision,
    reason: decision === 'accepted' ? null : row.rejectionReason,
    url: pageUrl(publicUrl, `/registry/${row.name}`),
  });

/** @param at when it is due or was heard (ms) */
export const outageNotification = (
  { name, nodeId }: Subject,
  { offlineSince, backAt }: OutageRow,
  at: number,
  publicUrl: string | undefined,
): Notification =>
  notification(backAt === null ? 'offline' : 'back', at, {
    name,
    nodeId,
    offlineSince: offlineSince.toISOString(),
    backAt: backAt?.toISOString() ?? null,
    url: pageUrl(publicUrl, `/nodes/${nodeId}`),
  });

export const testNotification = (
  { name, nodeId }: Subject,
  now: number,
  publicUrl: string | undefined,
): Notification =>
  notification('test', now, { name, nodeId, url: pageUrl(publicUrl, `/registry/${name}`) });

/** The same for the same event, so that it is stored once. */
export const messageId = (registrationId: string, event: string, since: Date): string =>
  `msg_${createHash('sha256').update(`${registrationId} ${event} ${since.toISOString()}`).digest('base64url').slice(0, 32)}`;

/** The request that delivers a message at `now` (ms). */
export function deliveryOf(
  { kind, address, secret }: NotificationTarget,
  { id, event, body }: Pick<NotificationMessage, 'id' | 'event' | 'body'>,
  now: number,
): Delivery {
  if (kind === 'ntfy') return { address, ...ntfyRequest({ event, body }) };
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from((secret ?? '').replace(/^whsec_/, ''), 'base64');
  return {
    address,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'mesh-registry',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signMessage(key, id, timestamp, body),
    },
  };
}

function ntfyRequest(notification: Notification): Omit<Delivery, 'address'> {
  const { title, tags, priority, text, url } = notificationWords(notification);
  return {
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
