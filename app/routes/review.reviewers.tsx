import type { MetaFunction } from '@remix-run/node';
import { changeReviewers, loadReviewers } from '#app/features/review/accounts/accounts.server.ts';
import { ReviewersPage } from '#app/features/review/accounts/reviewers-page.tsx';
import { formHeaders } from '#app/features/review/review.server.ts';

export const loader = loadReviewers;
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const action = changeReviewers;
export { accountClientAction as clientAction } from '#app/features/review/accounts/lost-answer.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Reviewers · Mesh Registry' }];

export default ReviewersPage;
