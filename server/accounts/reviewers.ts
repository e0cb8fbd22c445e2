import { asc, gt } from 'drizzle-orm';
import { reviewerInvitations, reviewers } from '#db/schema/index.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { AccountsContext } from './auth.ts';

/** The reviewers and their links, as lists. */

type Lists = Awaited<ReturnType<typeof listReviewers>>;
export type ListedReviewer = Lists['reviewers'][number];
export type OpenLink = Lists['links'][number];

/**
 * All accounts, and all links that are still open, by address. Without the link of the first start, which has no
 * address.
 * @throws AppError `unavailable`
 */
export async function listReviewers({ db, clock }: Pick<AccountsContext, 'db' | 'clock'>) {
  const accounts = await withRetry(() => db.select().from(reviewers).orderBy(asc(reviewers.email)));
  const links = await withRetry(() =>
    db
      .select()
      .from(reviewerInvitations)
      .where(gt(reviewerInvitations.expiresAt, new Date(clock())))
      .orderBy(asc(reviewerInvitations.email)),
  );
  const known = new Set(accounts.map(({ email }) => email));
  return {
    reviewers: accounts.map(({ name, email, role, twoFactorEnabled, ...account }) => ({
      name,
      email,
      role,
      twoFactorEnabled,
      lastSignInAt: account.lastSignInAt?.toISOString() ?? null,
      deactivatedAt: account.deactivatedAt?.toISOString() ?? null,
    })),
    links: links.flatMap(({ email, role, invitedBy, expiresAt }) =>
      email === null
        ? []
        : {
            email,
            role,
            /** It renews the access to an existing account. */
            renews: known.has(email),
            invitedBy,
            expiresAt: expiresAt.toISOString(),
          },
    ),
  };
}

/** The reviewers' names by address. Where two have the same name, it is followed by the address. */
export async function reviewerNames({
  db,
}: Pick<AccountsContext, 'db'>): Promise<Record<string, string>> {
  const accounts = await withRetry(() =>
    db.select({ email: reviewers.email, name: reviewers.name }).from(reviewers),
  );
  const withSameName = (name: string) =>
    accounts.filter((other) => other.name.toLowerCase() === name.toLowerCase());
  return Object.fromEntries(
    accounts.map(({ email, name }) => [
      email,
      withSameName(name).length > 1 ? `${name} (${email})` : name,
    ]),
  );
}
