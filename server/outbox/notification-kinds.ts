import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { NotificationKind } from '@mesh-registry/protocol/values.schema.ts';
import type { NotificationTarget } from '#db/schema/index.ts';
import type { Config } from '#server/config.ts';

/** What holders are told, as a webhook and as ntfy get it. Never the registration's id: it is the key to it. */

/** A message as ntfy shows it: https://docs.ntfy.sh/publish/. */
interface Words {
  /** Names and node IDs are ASCII, as headers must be. */
  title: string;
  /** The names of emoji. */
  tags: string;
  priority: 'default' | 'high';
  text: string;
}

interface Kind<Data extends z.ZodType = z.ZodType> {
  /** In the body of a webhook. */
  type: string;
  data: Data;
  words: (data: z.infer<Data>) => Words;
  /** Whether the holder wants it: the settings may have changed since the message was written. */
  wanted: (target: NotificationTarget) => boolean;
}

const kind = <Data extends z.ZodType>(kind: Kind<Data>) => kind;

const Subject = z.object({ name: z.string(), nodeId: z.string() });
const url = z.string().nullable();
const Outage = z.object({
  ...Subject.shape,
  /** The last heartbeat before it. */
  offlineSince: z.string(),
  /** The first heartbeat again; null while the node is offline. */
  backAt: z.string().nullable(),
  url,
});

export const NOTIFICATIONS = {
  decided: kind({
    type: 'registration.decided',
    data: z.object({
      ...Subject.shape,
      decision: z.enum(['accepted', 'rejected', 'revoked']),
      reason: z.string().nullable(),
      url,
    }),
    wanted: ({ onDecision }) => onDecision,
    words: ({ name, decision, reason }) =>
      decision === 'accepted'
        ? {
            title: `${name} is active`,
            tags: 'white_check_mark',
            priority: 'default',
            text: `A reviewer activated ${name}. It is listed in the registry.`,
          }
        : {
            title: `${name} ${decision === 'rejected' ? 'was not activated' : 'is no longer active'}`,
            tags: 'x',
            priority: 'default',
            text: `A reviewer ${decision} the registration of ${name}. Reason: ${reason ?? 'none given'}`,
          },
  }),
  asked: kind({
    type: 'registration.asked',
    data: z.object({ ...Subject.shape, question: z.string(), url }),
    // Both are about the review.
    wanted: ({ onDecision }) => onDecision,
    words: ({ name, question }) => ({
      title: `A question about ${name}`,
      tags: 'question',
      priority: 'default',
      text: `A reviewer asks about the registration of ${name}: ${question} Answer on its page, whose link you saved.`,
    }),
  }),
  offline: kind({
    type: 'node.offline',
    data: Outage,
    wanted: ({ offlineMinutes }) => offlineMinutes !== null,
    words: ({ name, nodeId, offlineSince }) => ({
      title: `${nodeId} is offline`,
      tags: 'warning',
      priority: 'high',
      text: `No heartbeat from ${nodeId} (${name}) since ${minute(offlineSince)}.`,
    }),
  }),
  back: kind({
    type: 'node.back',
    data: Outage,
    wanted: ({ onReturn }) => onReturn,
    words: ({ name, nodeId, offlineSince, backAt }) => ({
      title: `${nodeId} is back online`,
      tags: 'white_check_mark',
      priority: 'default',
      text: `${nodeId} (${name}) has been sending heartbeats again since ${minute(backAt ?? '')}. It went offline at ${minute(offlineSince)}.`,
    }),
  }),
  test: kind({
    type: 'test',
    data: z.object({ ...Subject.shape, url }),
    // It is sent when its button is pressed, and not again.
    wanted: () => false,
    words: ({ name, nodeId }) => ({
      title: `Test for ${name}`,
      tags: 'bell',
      priority: 'default',
      text: `Notifications about ${name} and its node ${nodeId} arrive here.`,
    }),
  }),
} satisfies { [Name in NotificationKind]: Kind };

export type NotificationData<Name extends NotificationKind> = z.infer<
  (typeof NOTIFICATIONS)[Name]['data']
>;

/** A message as it is stored; ntfy's is made from the body. */
export interface Notification {
  event: NotificationKind;
  /** Of the webhook. */
  body: string;
}

/** @param at when it happened, is due or was heard (ms) */
export const notification = <Name extends NotificationKind>(
  event: Name,
  at: number,
  data: NotificationData<Name>,
): Notification => ({
  event,
  body: JSON.stringify({
    type: NOTIFICATIONS[event].type,
    timestamp: new Date(at).toISOString(),
    data,
  }),
});

/** What the body of a message says. */
export function notificationData<Name extends NotificationKind>(
  event: Name,
  body: string,
): NotificationData<Name> {
  const { data } = JSON.parse(body) as { data: unknown };
  return NOTIFICATIONS[event].data.parse(data) as NotificationData<Name>;
}

/** A stored message for ntfy. @returns its link, null without PUBLIC_URL */
export function notificationWords({ event, body }: Notification): Words & { url: string | null } {
  const { words }: Kind = NOTIFICATIONS[event];
  const data = notificationData(event, body);
  return { ...words(data), url: data.url };
}

/** "2026-07-17 12:00 UTC" */
const minute = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`;

/** A page's address; null without PUBLIC_URL. */
export const pageUrl = ({ publicUrl }: Pick<Config, 'publicUrl'>, path: string): string | null =>
  publicUrl === undefined ? null : `${publicUrl}${path}`;

/** The same for the same event, so that it is stored once. @param since tells it from others of its kind */
export const messageId = (registrationId: string, event: string, since: Date | string): string =>
  `msg_${createHash('sha256')
    .update(`${registrationId} ${event} ${typeof since === 'string' ? since : since.toISOString()}`)
    .digest('base64url')
    .slice(0, 32)}`;
