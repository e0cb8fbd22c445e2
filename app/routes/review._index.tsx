import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { titleWithCount } from '#app/features/review/pending-count.tsx';
import { decisionAction } from '#app/features/review/queue/decision-action.server.ts';
import { QueuePage } from '#app/features/review/queue/queue-page.tsx';
import {
  noRegistration,
  redirectToCanonicalNote,
  requireReviewer,
} from '#app/features/review/review.server.ts';
import * as hrefs from '#app/lib/hrefs.ts';

export async function loader(args: LoaderFunctionArgs) {
  const { email: me } = await requireReviewer(args);
  const { request, context } = args;
  const open = new URL(request.url).searchParams.get('open') ?? undefined;
  redirectToCanonicalNote(open ?? '', (open) => hrefs.review.queue({ open }));
  try {
    // Loading the page opens the registration; scripts report themselves what they open later.
    const queue = await context.api.review.queue.list({ open, markOpen: isDocument(request) });
    return { ...queue, me };
  } catch (error) {
    // A note that doesn't exist, or that this server will learn from another one within a second.
    // oxlint-disable-next-line typescript/only-throw-error
    if (noRegistration(error)) throw redirect(hrefs.review.queue());
    throw error;
  }
}
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';
/** Also after a refused form: another reviewer has changed what it was about. */
export const shouldRevalidate = () => true;

/** Scripts ask for data; a browser without them asks for the document. */
const isDocument = ({ headers }: Request) => headers.get('sec-fetch-dest') !== 'empty';

export const action = (args: ActionFunctionArgs) =>
  decisionAction(args, {
    decided: (next) => (next === null ? hrefs.review.queue() : hrefs.review.queue({ open: next })),
    stay: (open) => hrefs.review.queue({ open }),
    undone() {
      const open = new URL(args.request.url).searchParams.get('open');
      return open === null ? hrefs.review.queue() : hrefs.review.queue({ open: open });
    },
  });

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: titleWithCount(data?.total ?? 0, 'Review queue · Mesh Registry') },
];

export default function Queue() {
  return <QueuePage queue={useLoaderData<typeof loader>()} />;
}
