import { eq, getTableName, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
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
import { createTestDatabase } from './support/databases.ts';
import { watchPostgres } from './support/postgres-watch.ts';
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

test('one statement deletes 5000 rows at most, and none that has been renewed meanwhile', async () => {
  const database = await createTestDatabase();
  const watch = await watchPostgres(database.env.DATABASE_URL);
  const server = await startTestServer({ env: { DATABASE_URL: watch.url } });
  onTestFinished(async () => {
    await server.stop();
    watch.stop();
    await database.drop();
  });
  const { db } = server.database;
  await db.execute(sql`
    insert into outages (node_id, offline_since, measured_since, back_at)
    select 'node_' || n, at, at, at
    from generate_series(1, 12000) as n, (values (now() - interval '91 days'), (now())) as t(at)`);
  const deleted: number[] = [];
  watch.onDone = (command) => {
    const [, rows] = /^DELETE (\d{3,})$/.exec(command) ?? [];
    if (rows) deleted.push(Number(rows));
  };
  await server.services.deleteExpired();
  expect(deleted).toEqual([5000, 5000, 2000]);
  expect(await db.$count(outages)).toBe(12_000);

  // Not every release of PostgreSQL looks again at the whole condition itself.
  const at = new Date(Date.now() - 91 * DAY);
  await db.insert(outages).values({ nodeId: 'a', offlineSince: at, measuredSince: at, backAt: at });
  let deleting: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    await tx.update(outages).set({ backAt: new Date() }).where(eq(outages.nodeId, 'a'));
    deleting = server.services.deleteExpired();
    const waits = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'delete from "outages"%'`;
    await expect.poll(() => db.execute(waits)).toHaveLength(1);
  });
  await deleting;
  expect(await db.$count(outages)).toBe(12_001);
});
