import {
  redirect,
  type ActionFunctionArgs,
  type HeadersArgs,
  type LoaderFunctionArgs,
} from '@remix-run/node';
import type { ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import type { RequestContext } from '#server/entry/context.ts';
import type { Reviewer } from '#server/accounts/index.ts';
import { canonicalNote } from '@mesh-registry/protocol/rest/payment-note.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { handleForm, refusedForm, type RefusedForm } from '#app/lib/form-action.server.ts';

/** Where every loader and action of /review begins. */

/**
 * The signed-in reviewer. Sends everyone else to sign in, and from there back to the page they asked for.
 * @throws Response a redirect, or 403 on a page for administrators
 */
export async function requireReviewer(
  { request, context }: Pick<LoaderFunctionArgs, 'request' | 'context'>,
  role?: ReviewerRole,
): Promise<Reviewer> {
  const reviewer = await context.reviewer();
  if (!reviewer) throw redirect(signInHref(request));
  if (role === 'administrator' && reviewer.role !== role)
    throw new Response(null, { status: 403, statusText: 'Forbidden' });
  return reviewer;
}

/**
 * For every page of the dashboard: who is signed in, the reviewers' names, how many registrations wait, and what the
 * reviewer can still undo.
 */
export async function loadDashboard(args: LoaderFunctionArgs) {
  const { name, email, role } = await requireReviewer(args);
  const { queue, accounts } = args.context.api.review;
  const [pending, names, mine] = await Promise.all([
    queue.countWaiting(),
    accounts.names(),
    queue.mine(),
  ]);
  return { reviewer: { name, email, role }, pending, names, mine };
}

/**
 * {@link handleForm} for signed-in reviewers. A form from anybody else is not read, and each procedure that `work` calls
 * checks again who sent it.
 * @param options.role who may send it; every reviewer by default
 * @param options.limit bytes
 */
export function handleReviewForm<T>(
  args: ActionFunctionArgs,
  work: (form: FormData) => Promise<T>,
  { role, limit }: { role?: ReviewerRole; limit?: number } = {},
): Promise<T | RefusedForm> {
  const { context } = args;
  return handleForm(args, work, limit, async () => {
    if (!(await context.reviewer())) return signedOut(args);
    await context.requireReviewer(role);
    return null;
  });
}

/** Answers a form, once what it asks for is done, with the page to see it on. */
export async function redirectAfter(done: Promise<unknown>, href: string) {
  await done;
  return redirect(href, 303);
}

/**
 * The session has ended since the page was opened. A page with scripts stays and shows the refusal. A browser
 * without them has already left the page, so it goes to the sign-in page, which explains.
 */
function signedOut({ request, context }: ActionFunctionArgs): RefusedForm {
  const refused = new AppError('unauthorized', 'Your session has ended. Nothing was changed.');
  context.error = refused;
  if (/\btext\/html\b/.test(request.headers.get('accept') ?? ''))
    throw redirect(`${signInHref(request)}&unsent`, 303);
  return refusedForm(refused, {}, { signIn: signInHref(request) });
}

/** The sign-in page, which leads back to the page of this request. */
function signInHref(request: Request): string {
  const { pathname, search } = new URL(request.url);
  return hrefs.signIn(pathname + search);
}

/**
 * Where to go after signing in, from the sign-in page's URL.
 * @returns the path of a page of /review; the queue for anything else, such as another site's address
 */
export const nextOf = (request: Request): string =>
  ownPath(new URL(request.url).searchParams.get('next')) ?? hrefs.review.queue();

/** @returns the path of a page of /review that the text names; null for anything else, such as another site's address */
export function ownPath(text: string | null): string | null {
  const base = 'http://own.invalid';
  if (text === null || !URL.canParse(text, base)) return null;
  const { origin, pathname, search } = new URL(text, base);
  return origin === base && /^\/review(\/|$)/.test(pathname) ? pathname + search : null;
}

/**
 * Payment notes are found in any case of letters; the URL of a page has the note as it was issued.
 * @param hrefOf the page of a note
 * @throws Response a redirect to that page, where the URL spells the note differently
 */
export function redirectToCanonicalNote(note: string, hrefOf: (note: string) => string): void {
  const canonical = canonicalNote(note);
  if (canonical !== null && canonical !== note) throw redirect(hrefOf(canonical), 301);
}

/** Whether an error says that no registration has this note, also one that can't be a note at all. */
export const noRegistration = (error: unknown): boolean =>
  isAppError(error) && (error.code === 'not_found' || error.code === 'invalid_body');

/**
 * A file for reviewers to keep. Answers 401 instead of redirecting to sign in as a page does: a browser would save that
 * page as the file.
 */
export async function download(
  context: RequestContext,
  contentType: string,
  filename: string,
  body: () => string | Promise<ReadableStream<Uint8Array>>,
): Promise<Response> {
  await context.requireReviewer();
  return new Response(await body(), {
    headers: {
      'content-type': `${contentType}; charset=utf-8`,
      'content-disposition': `attachment; filename="${filename}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'x-request-id': context.requestId,
    },
  });
}

/** For pages with forms: keeps them out of search engines, and passes on when to try again. */
export function formHeaders({ actionHeaders }: HeadersArgs): Record<string, string> {
  const retryAfter = actionHeaders.get('retry-after');
  return {
    'x-robots-tag': 'noindex',
    ...(retryAfter !== null && { 'retry-after': retryAfter }),
  };
}
