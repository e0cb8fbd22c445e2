import { redirect, type ActionFunctionArgs, type LoaderFunctionArgs } from '@remix-run/node';
import * as hrefs from '#app/lib/hrefs.ts';
import { noRegistration, redirectToCanonicalNote, requireReviewer } from '../review.server.ts';
import { decisionAction } from './decision-action.server.ts';

/** GET /review: the queue, and the registration that the URL opens. */
export async function loadQueue(args: LoaderFunctionArgs) {
  const { email: me } = await requireReviewer(args);
  const { request, context } = args;
  const open = new URL(request.url).searchParams.get('open') ?? undefined;
  redirectToCanonicalNote(open ?? '', (note) => hrefs.review.queue({ open: note }));
  try {
    // Loading the page opens the registration; scripts report themselves what they open later.
    const queue = await context.api.review.queue.list({ open, markOpen: isDocument(request) });
    return { ...queue, /** The reviewer's own address. */ me };
  } catch (error) {
    // A note that doesn't exist, or that this server will learn from another one within a second.
    if (noRegistration(error)) throw redirect(hrefs.review.queue());
    throw error;
  }
}

/** Scripts ask for data; a browser without them asks for the document. */
const isDocument = ({ headers }: Request) => headers.get('sec-fetch-dest') !== 'empty';

/** POST /review: a decision leads to the next registration, and undoing one back to where it was made. */
export const decideInQueue = (args: ActionFunctionArgs) =>
  decisionAction(args, {
    decided: (next) => hrefs.review.queue({ open: next ?? undefined }),
    stay: (open) => hrefs.review.queue({ open }),
    undone: () =>
      hrefs.review.queue({
        open: new URL(args.request.url).searchParams.get('open') ?? undefined,
      }),
  });
