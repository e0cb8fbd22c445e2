import type { LoaderFunctionArgs } from '@remix-run/node';
import { requireReviewer } from '#app/features/review/review.server.ts';

/** An address below /review where there is nothing: said in the frame of the others (review.tsx). */
export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  // eslint-disable-next-line @typescript-eslint/only-throw-error
  throw new Response(null, { status: 404, statusText: 'Not Found' });
}

export default function NothingHere() {
  return null;
}
