import type { LoaderFunctionArgs } from '@remix-run/node';
import { readReviewSearch } from '#server/review/search.schema.ts';
import { requireReviewer } from '../review.server.ts';

/** GET /review/registrations: the registrations of any status that the URL's search matches. */
export async function loadRegistrations(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const search = readReviewSearch(new URL(args.request.url).searchParams);
  return { ...(await args.context.api.review.registrations.list(search)), search };
}
