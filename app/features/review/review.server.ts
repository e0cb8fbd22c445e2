import { redirect, type ActionFunctionArgs, type LoaderFunctionArgs } from '@remix-run/node';
import type { ReviewerRole } from '#server/common/values.schema.ts';
import { AppError } from '#server/common/errors.schema.ts';
import type { Reviewer } from '#server/accounts/reviewers.ts';
import { canonicalNote } from '#server/payments/note.schema.ts';
import { handleForm, refusedForm, type RefusedForm } from '#app/lib/form-action.server.ts';

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
  // eslint-disable-next-line @typescript-eslint/only-throw-error
  if (!reviewer) throw redirect(signInHref(request));
  if (role === 'administrator' && reviewer.role !== role)
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    throw new Response(null, { status: 403, statusText: 'Forbidden' });
  return reviewer;
}

/**
 * A form of /review: as {@link submit}, and the work is told who sends it. Of somebody who may not send it
 * the form is not read.
 * @param may.role who may; everybody who is signed in where there is none
 * @param may.limit bytes
 */
export function handleReviewForm<T>(
  args: ActionFunctionArgs,
  work: (form: FormData, reviewer: Reviewer) => Promise<T>,
  { role, limit }: { role?: ReviewerRole; limit?: number } = {},
): Promise<T | RefusedForm> {
  const { context } = args;
  return handleForm(
    args,
    async (form) => work(form, await context.requireReviewer(role)),
    limit,
    async () => {
      if (!(await context.reviewer())) return signedOut(args);
      await context.requireReviewer(role);
      return null;
    },
  );
}

/**
 * The session has ended since the page was opened. A page with scripts stays as it is and says so; a browser
 * without them has left the page, so it goes to sign in, where the same is said.
 */
function signedOut({ request, context }: ActionFunctionArgs): RefusedForm {
  const refused = new AppError('unauthorized', 'Your session has ended. Nothing was changed.');
  context.error = refused;
  if (/\btext\/html\b/.test(request.headers.get('accept') ?? ''))
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    throw redirect(`${signInHref(request)}&unsent`, 303);
  return refusedForm(refused, {}, { signIn: signInHref(request) });
}

/** Where one signs in, and comes back to the page that was asked for. */
function signInHref(request: Request): string {
  const { pathname, search } = new URL(request.url);
  return `/review/sign-in?next=${encodeURIComponent(pathname + search)}`;
}

/** Where to go after signing in, as the address of the page for it says. */
export const nextOf = (request: Request): string =>
  ownPath(new URL(request.url).searchParams.get('next'));

/**
 * A page of ours to go to after signing in: an address of another site is none.
 * @param next as it stands in the address
 */
function ownPath(next: string | null): string {
  const base = 'http://own.invalid';
  if (next === null || !URL.canParse(next, base)) return '/review';
  const { origin, pathname, search } = new URL(next, base);
  return origin === base && /^\/review(\/|$)/.test(pathname) ? pathname + search : '/review';
}

/**
 * Redirects an address whose payment note is in another letter case to the canonical one.
 * @param hrefOf the page of a note
 * @throws Response a redirect
 */
export function redirectToCanonicalNote(note: string, hrefOf: (note: string) => string): void {
  const canonical = canonicalNote(note);
  // eslint-disable-next-line @typescript-eslint/only-throw-error
  if (canonical !== null && canonical !== note) throw redirect(hrefOf(canonical), 301);
}
