import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { reviewers } from '#db/schema/index.ts';
import type { ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import type { Services } from '#server/services.ts';

export const PASSWORD = 'correct horse battery';

export interface SignedIn {
  email: string;
  /** For the header `cookie`. */
  cookie: string;
}

/** A reviewer with an account (password {@link PASSWORD}) and a session. */
export async function signInReviewer(
  { accounts }: Services,
  { email = 'ada@example.org', role = 'reviewer' }: { email?: string; role?: ReviewerRole } = {},
): Promise<SignedIn> {
  const name = email.replace(/@.*/, '');
  const token = await accounts.invite('system', { email, role });
  await accounts.join(token, { name, password: PASSWORD });
  const { cookies } = await accounts.signIn({ email, password: PASSWORD }, new Headers());
  return { email, cookie: cookies.map((cookie) => cookie.replace(/;.*/, '')).join('; ') };
}

/** Deactivates an account, but keeps its sessions: only the check of each request refuses them. */
export async function deactivateReviewer(
  { db }: Database,
  email: string,
  at = Date.now(),
): Promise<void> {
  await db
    .update(reviewers)
    .set({ deactivatedAt: new Date(at) })
    .where(eq(reviewers.email, email));
}
