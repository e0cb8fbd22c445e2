import { afterAll, beforeAll, expect, test } from 'vitest';
import { reviewerSessions } from '../../db/schema.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test('a session knows its reviewer, and stores neither an address nor what the browser said of itself', async () => {
  const { cookie } = await signInReviewer(server.services);
  const found = await server.services.reviewers.signedIn(new Headers({ cookie }));
  expect(found).toMatchObject({ email: 'ada@example.org', role: 'reviewer' });
  const rows: object[] = await server.database.db.select().from(reviewerSessions);
  expect(rows).toHaveLength(1);
  expect(Object.keys(rows[0] ?? {}).sort()).toEqual([
    'createdAt',
    'expiresAt',
    'id',
    'token',
    'updatedAt',
    'userAgent',
    'userId',
  ]);
});

test('who is not signed in is sent to sign in, and a deactivated one is not signed in', async () => {
  const answer = await server.get('/review?q=1', { redirect: 'manual' });
  expect(answer.status).toBe(302);
  expect(answer.headers.get('location')).toBe('/review/sign-in?next=%2Freview%3Fq%3D1');
});
