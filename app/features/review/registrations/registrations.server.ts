import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { readReviewSearch } from '#server/review/search.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { decisionAction } from '../queue/decision-action.server.ts';
import { noRegistration, redirectToCanonicalNote, requireReviewer } from '../review.server.ts';

/** GET /review/registrations: the registrations of any status that the URL's search matches. */
export async function loadRegistrations(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const search = readReviewSearch(new URL(args.request.url).searchParams);
  return { ...(await args.context.api.review.registrations.list(search)), search };
}

/** GET /review/registrations/:note. @throws Response 404 where no registration has this note */
export async function loadRegistration(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const note = args.params['note'] ?? '';
  redirectToCanonicalNote(note, hrefs.review.registration);
  try {
    return await args.context.api.review.queue.get({ note });
  } catch (error) {
    if (noRegistration(error)) throw new Response(null, { status: 404, statusText: 'Not Found' });
    throw error;
  }
}

/** POST /review/registrations/:note: a decision about it, after which its page stays. */
export function decideOnRegistration(args: ActionFunctionArgs) {
  const here = () => hrefs.review.registration(args.params['note'] ?? '');
  return decisionAction(args, { decided: here, stay: here, undone: here });
}
