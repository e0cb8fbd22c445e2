import type { MetaFunction } from '@remix-run/node';
import {
  changeSecondFactor,
  loadSecondFactor,
} from '#app/features/review/accounts/accounts.server.ts';
import { SecondFactorPage } from '#app/features/review/accounts/second-factor-page.tsx';
import { formHeaders } from '#app/features/review/review.server.ts';

export const loader = loadSecondFactor;
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const action = changeSecondFactor;
export { accountClientAction as clientAction } from '#app/features/review/accounts/lost-answer.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Second factor · Mesh Registry' }];

export default SecondFactorPage;
