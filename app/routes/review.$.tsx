import type { LoaderFunctionArgs } from '@remix-run/node';
import { requireReviewer } from '#app/features/review/review.server.ts';

/** A URL below /review without a page: answered within the dashboard's frame (review.tsx). */
export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  throw new Response(null, { status: 404, statusText: 'Not Found' });
}

export default function NotFound() {
  return null;
}
