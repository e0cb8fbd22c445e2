import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { ReviewPage } from '../components/review/review-page.tsx';
import { requireReviewer } from '../review.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  return null;
}

export const meta: MetaFunction = () => [{ title: 'Review queue · Mesh Registry' }];

export default function Queue() {
  return <ReviewPage title="Review queue" />;
}
