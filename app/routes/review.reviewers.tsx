import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { formHeaders } from '#app/features/review/accounts/form-headers.server.ts';
import { reviewersAction } from '#app/features/review/accounts/reviewers-action.server.ts';
import { ReviewersPage } from '#app/features/review/accounts/reviewers-page.tsx';
import { requireReviewer } from '#app/features/review/review.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  const { email } = await requireReviewer(args, 'administrator');
  const { reviewers, links } = await args.context.api.review.accounts.list();
  return { own: email, reviewers, links, updatedAt: new Date().toISOString() };
}
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const action = reviewersAction;
export { accountClientAction as clientAction } from '#app/features/review/accounts/lost-answer.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Reviewers · Mesh Registry' }];

export default function Reviewers() {
  return <ReviewersPage {...useLoaderData<typeof loader>()} />;
}
