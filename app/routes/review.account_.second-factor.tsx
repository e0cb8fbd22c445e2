import type { MetaFunction } from '@remix-run/node';

export {
  changeSecondFactor as action,
  loadSecondFactor as loader,
} from '#app/features/review/accounts/accounts.server.ts';
import { pageTitle } from '#app/lib/network.tsx';
export { SecondFactorPage as default } from '#app/features/review/accounts/second-factor-page.tsx';
export { formHeaders as headers } from '#app/features/review/review.server.ts';
export { accountClientAction as clientAction } from '#app/features/review/accounts/lost-answer.ts';
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: pageTitle('Second factor') }];
