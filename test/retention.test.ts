import { getTableName } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  idempotencyKeys,
  notificationMessages,
  outages,
  reviewerInvitations,
  reviewers,
  reviewerSessions,
  reviewerUsedCodes,
  reviewerVerifications,
  reviewPresence,
  webhookMessages,
} from '#db/schema/index.ts';
import { signInReviewer } from './support/reviewer.ts';
import { startTestServer, type TestServer } from './support/server.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('data stored for a limited time', () => {
  let server: TestServer;
  let now = Date.now();
  beforeAll(async () => {
    server = await startTestServer({ clock: () => now });
  });
  afterAll(() => server.stop());

  test('is deleted once that has passed, and not before', async () => {
    const { db } = server.database;
    await signInReviewer(server.services);
    const [reviewer] = await db.select().from(reviewers);
    const userId = reviewer?.id ?? '';
    await db.delete(reviewerSessions);

    const at = new Date(now);
    const moments = { createdAt: at, updatedAt: at };
    const until = (ms: number) => new Date(now + ms);
    const week = { expiresAt: until(7 * DAY), createdAt: at };
    const message = { id: 'm', body: '{}', createdAt: at, nextAttemptAt: until(30 * DAY) };
    const rows = [
      [reviewerUsedCodes, 2 * MINUTE, { userId, code: '123456', usedAt: at }],
      [
        reviewerVerifications,
        5 * MINUTE,
        { id: 'v', identifier: 'x', value: userId, expiresAt: until(5 * MINUTE), ...moments },
      ],
      [reviewPresence, 10 * MINUTE, { registrationId: 'x', reviewer: 'ada', renewedAt: at }],
      [
        idempotencyKeys,
        DAY,
        { keyHash: 'k', bodyHash: 'b', registrationId: 'x', answer: '{}', createdAt: at },
      ],
      [
        reviewerInvitations,
        7 * DAY,
        { tokenHash: 't', email: 'e', role: 'reviewer', invitedBy: 'ada', ...week },
      ],
      [webhookMessages, 8 * DAY, message],
      [
        reviewerSessions,
        14 * DAY,
        { id: 's', token: 't', userId, expiresAt: until(14 * DAY), ...moments },
      ],
      [
        outages,
        90 * DAY,
        { nodeId: 'a', offlineSince: new Date(now - DAY), measuredSince: at, backAt: at },
      ],
      [
        notificationMessages,
        90 * DAY + MINUTE,
        { id: 'n', registrationId: 'x', event: 'decided', body: '{}', createdAt: until(MINUTE) },
      ],
    ] as const;
    for (const [table, , row] of rows) await db.insert(table).values(row as never);
    const left = async () => {
      const names = [];
      for (const [table] of rows)
        if ((await db.select().from(table)).length > 0) names.push(getTableName(table));
      return names;
    };

    const names = rows.map(([table]) => getTableName(table));
    const start = now;
    for (const [n, [, kept]] of rows.entries()) {
      now = start + kept - 1;
      await server.services.deleteExpired();
      expect(await left()).toEqual(names.slice(n));
      now = start + kept + 1;
      await server.services.deleteExpired();
      expect(await left()).toEqual(names.slice(n + 1));
    }
  });
});
