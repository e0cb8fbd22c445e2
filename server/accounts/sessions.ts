import { and, desc, eq, gt, isNull, ne } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { reviewers, reviewerSessions } from '#db/schema/index.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { AccountsContext, Reviewer } from './auth.ts';
import { UNKNOWN_DEVICE } from './device.ts';

/** Sessions: who is signed in, and where. */

/** The owner of sessions, and the session of this request. */
type Own = Pick<Reviewer, 'id' | 'sessionId'>;

/** The reviewer whose session the cookie names; null if there is none, it has ended, or the account is deactivated. */
export async function signedIn(
  { auth }: AccountsContext,
  headers: Headers,
): Promise<Reviewer | null> {
  // Most requests are not from reviewers: they cost no query.
  if (!headers.has('cookie')) return null;
  const found = await withRetry(() => auth.api.getSession({ headers }));
  if (!found || found.user.deactivatedAt) return null;
  const { id, name, email, role, twoFactorEnabled } = found.user;
  return {
    id,
    name,
    email,
    role,
    twoFactorEnabled: twoFactorEnabled === true,
    sessionId: found.session.id,
  };
}

/** Whether a session is still valid: not ended or expired, and its account not deactivated. */
export async function sessionHolds(db: Db, sessionId: string, now: number): Promise<boolean> {
  const [session] = await withRetry(() =>
    db
      .select({ id: reviewerSessions.id })
      .from(reviewerSessions)
      .innerJoin(reviewers, eq(reviewers.id, reviewerSessions.userId))
      .where(
        and(
          eq(reviewerSessions.id, sessionId),
          gt(reviewerSessions.expiresAt, new Date(now)),
          isNull(reviewers.deactivatedAt),
        ),
      ),
  );
  return session !== undefined;
}

export type Session = Awaited<ReturnType<typeof sessions>>[number];

/** Newest first. @throws AppError `unavailable` */
export async function sessions({ db, clock }: AccountsContext, own: Own) {
  const rows = await withRetry(() =>
    db
      .select()
      .from(reviewerSessions)
      .where(
        and(eq(reviewerSessions.userId, own.id), gt(reviewerSessions.expiresAt, new Date(clock()))),
      )
      .orderBy(desc(reviewerSessions.createdAt)),
  );
  return rows.map(({ id, userAgent, createdAt, expiresAt }) => ({
    id,
    /** "Firefox on Linux" */
    device: userAgent ?? UNKNOWN_DEVICE,
    since: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    /** The session of this request. */
    current: id === own.sessionId,
  }));
}

/** Ends one of the reviewer's own sessions. One that has ended already is not an error. */
export async function endSession({ db }: AccountsContext, own: Own, id: string): Promise<void> {
  await withRetry(() =>
    db
      .delete(reviewerSessions)
      .where(and(eq(reviewerSessions.id, id), eq(reviewerSessions.userId, own.id))),
  );
}

/** Ends all but the session of this request. */
export async function endOtherSessions({ db }: AccountsContext, own: Own): Promise<void> {
  await withRetry(() => db.delete(reviewerSessions).where(isOtherSession(own)));
}

export const isOtherSession = (own: Own) =>
  and(eq(reviewerSessions.userId, own.id), ne(reviewerSessions.id, own.sessionId));
