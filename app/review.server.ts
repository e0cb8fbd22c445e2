import { redirect, type LoaderFunctionArgs } from '@remix-run/node';
import type { ReviewerRole } from '../server/schemas/values.ts';
import type { Reviewer } from '../server/services/reviewers.ts';

/** What every loader and action of /review begins with. */

/**
 * Who is signed in; everybody else is sent to sign in first, and comes back to the page that was asked for.
 * @throws Response a redirect, or 403 for a page of administrators
 */
export async function requireReviewer(
  { request, context }: Pick<LoaderFunctionArgs, 'request' | 'context'>,
  role?: ReviewerRole,
): Promise<Reviewer> {
  const reviewer = await context.reviewer();
  if (!reviewer) {
    const { pathname, search } = new URL(request.url);
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    throw redirect(`/review/sign-in?next=${encodeURIComponent(pathname + search)}`);
  }
  if (role === 'administrator' && reviewer.role !== role)
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    throw new Response(null, { status: 403, statusText: 'Forbidden' });
  return reviewer;
}

/**
 * A page of ours to go to after signing in: an address of another site is none.
 * @param next as it stands in the address
 */
export function ownPath(next: string | null): string {
  const base = 'http://own.invalid';
  if (next === null || !URL.canParse(next, base)) return '/review';
  const { origin, pathname, search } = new URL(next, base);
  return origin === base && /^\/review(\/|$)/.test(pathname) ? pathname + search : '/review';
}
