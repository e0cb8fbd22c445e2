import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { NotificationKind } from '@mesh-registry/protocol/values.schema.ts';
import {
  notification,
  NOTIFICATIONS,
  notificationWords,
  type NotificationData,
} from './notification-kinds.ts';

const DOCS = readFileSync(new URL('../../docs/notifications.md', import.meta.url), 'utf8');
const section = (title: string) => DOCS.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

test('the docs list every kind, in order, and every field of its data', () => {
  const sent = section('What is sent, and when');
  const kinds = Object.values(NOTIFICATIONS);
  expect([...sent.matchAll(/^\| `(.+?)` +\|/gm)].map(([, type]) => type)).toEqual([
    'type',
    ...kinds.map(({ type }) => type),
  ]);
  for (const { data } of kinds)
    for (const field of Object.keys(data.shape))
      expect(sent).toMatch(new RegExp(`[\`"]${field}[\`"]`));
});

const OUTAGE = { name: 'garage', nodeId: 'node_a', offlineSince: '2026-07-17T12:00:00.000Z' };
const DECIDED = { name: 'garage', nodeId: 'node_a', reason: 'no payment', url: null };
const MESSAGES: [
  NotificationKind,
  NotificationData<NotificationKind>,
  title: string,
  text: string,
][] = [
  [
    'decided',
    { ...DECIDED, decision: 'accepted', reason: null },
    'garage is active',
    'A reviewer activated garage. It is listed in the registry.',
  ],
  [
    'decided',
    { ...DECIDED, decision: 'rejected' },
    'garage was not activated',
    'A reviewer rejected the registration of garage. Reason: no payment',
  ],
  [
    'decided',
    { ...DECIDED, decision: 'revoked', reason: null },
    'garage is no longer active',
    'A reviewer revoked the registration of garage. Reason: none given',
  ],
  [
    'asked',
    { name: 'garage', nodeId: 'node_a', question: 'Who paid?', url: null },
    'A question about garage',
    'A reviewer asks about the registration of garage: Who paid? Answer on its page, whose link you saved.',
  ],
  [
    'offline',
    { ...OUTAGE, backAt: null, url: null },
    'node_a is offline',
    'No heartbeat from node_a (garage) since 2026-07-17 12:00 UTC.',
  ],
  [
    'back',
    { ...OUTAGE, backAt: '2026-07-17T12:30:00.000Z', url: null },
    'node_a is back online',
    'node_a (garage) has been sending heartbeats again since 2026-07-17 12:30 UTC. It went offline at 2026-07-17 12:00 UTC.',
  ],
  [
    'test',
    { name: 'garage', nodeId: 'node_a', url: null },
    'Test for garage',
    'Notifications about garage and its node node_a arrive here.',
  ],
];
test.each(MESSAGES)('a message of kind %s says what happened: %j', (event, data, title, text) => {
  expect(notificationWords(notification(event, 0, data))).toMatchObject({ title, text, url: null });
});
