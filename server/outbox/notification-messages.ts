import { createHash } from 'node:crypto';
import type {
  NotificationMessage,
  NotificationTarget,
  OutageRow,
  RegistrationRow,
} from '#db/schema/index.ts';
import { signMessage } from './webhook.ts';
import type { Delivery } from './delivery.ts';

/** What holders are told, as a webhook and as ntfy get it. Never the registration's id: it is the key to it. */
export type Notification =
  | {
      type: 'registration.decided';
      timestamp: string;
      data: {
        name: string;
        nodeId: string;
        decision: 'accepted' | 'rejected' | 'revoked';
        reason: string | null;
        url: string | null;
      };
    }
  | {
      type: 'node.offline' | 'node.back';
      timestamp: string;
      data: {
        name: string;
        nodeId: string;
        /** Its last heartbeat before. */
        offlineSince: string;
        /** Its first heartbeat again; null while it is offline. */
        backAt: string | null;
        url: string | null;
      };
    }
  | { type: 'test'; timestamp: string; data: { name: string; nodeId: string; url: string | null } };

type Subject = Pick<RegistrationRow, 'name' | 'nodeId'>;

const pageUrl = (publicUrl: string | undefined, path: string) =>
  publicUrl === undefined ? null : `${publicUrl}${path}`;

export const decidedNotification = (
  row: RegistrationRow,
  decision: 'accepted' | 'rejected' | 'revoked',
  now: number,
  publicUrl: string | undefined,
): Notification => ({
  type: 'registration.decided',
  timestamp: new Date(now).toISOString(),
  data: {
    name: row.name,
    nodeId: row.nodeId,
    decision,
    reason: decision === 'accepted' ? null : row.rejectionReason,
    url: pageUrl(publicUrl, `/registry/${row.name}`),
  },
});

/** @param at when it is due or was heard (ms) */
export const outageNotification = (
  { name, nodeId }: Subject,
  { offlineSince, backAt }: OutageRow,
  at: number,
  publicUrl: string | undefined,
): Notification => ({
  type: backAt === null ? 'node.offline' : 'node.back',
  timestamp: new Date(at).toISOString(),
  data: {
    name,
    nodeId,
    offlineSince: offlineSince.toISOString(),
    backAt: backAt?.toISOString() ?? null,
    url: pageUrl(publicUrl, `/nodes/${nodeId}`),
  },
});

export const testNotification = (
  { name, nodeId }: Subject,
  now: number,
  publicUrl: string | undefined,
): Notification => ({
  type: 'test',
  timestamp: new Date(now).toISOString(),
  data: { name, nodeId, url: pageUrl(publicUrl, `/registry/${name}`) },
});

/** The same for the same event, so that it is stored once. */
export const messageId = (registrationId: string, event: string, since: Date): string =>
  `msg_${createHash('sha256').update(`${registrationId} ${event} ${since.toISOString()}`).digest('base64url').slice(0, 32)}`;

/** The request that delivers a message at `now` (ms). */
export function deliveryOf(
  { kind, address, secret }: NotificationTarget,
  { id, body }: Pick<NotificationMessage, 'id' | 'body'>,
  now: number,
): Delivery {
  if (kind === 'ntfy') return { address, ...ntfyRequest(JSON.parse(body) as Notification) };
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

/** https://docs.ntfy.sh/publish/. Names and node IDs are ASCII, as headers must be. */
function ntfyRequest(notification: Notification): Omit<Delivery, 'address'> {
  const { title, tags, priority, text } = inWords(notification);
  const { url } = notification.data;
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

/** For ntfy: the tags are the names of emoji. */
function inWords({ type, data }: Notification) {
  const { name, nodeId } = data;
  switch (type) {
    case 'registration.decided':
      return {
        title:
          data.decision === 'accepted'
            ? `${name} is active`
            : data.decision === 'rejected'
              ? `${name} was not activated`
              : `${name} is no longer active`,
        tags: data.decision === 'accepted' ? 'white_check_mark' : 'x',
        priority: 'default',
        text:
          data.decision === 'accepted'
            ? `A reviewer activated ${name}. It is listed in the registry.`
            : `A reviewer ${data.decision} the registration of ${name}. Reason: ${data.reason ?? 'none given'}`,
      };
    case 'node.offline':
      return {
        title: `${nodeId} is offline`,
        tags: 'warning',
        priority: 'high',
        text: `No heartbeat of ${nodeId} (${name}) since ${minute(data.offlineSince)}.`,
      };
    case 'node.back':
      return {
        title: `${nodeId} is back online`,
        tags: 'white_check_mark',
        priority: 'default',
        text: `${nodeId} (${name}) sends heartbeats again since ${minute(data.backAt ?? '')}. It was offline since ${minute(data.offlineSince)}.`,
      };
    case 'test':
      return {
        title: `Test for ${name}`,
        tags: 'bell',
        priority: 'default',
        text: `Notifications about ${name} and its node ${nodeId} arrive here.`,
      };
  }
}

/** "2026-07-17 12:00 UTC" */
const minute = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`;
