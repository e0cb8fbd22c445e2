import type { MetaFunction } from '@remix-run/node';

export {
  changeAccount as action,
  loadAccount as loader,
} from '#app/features/review/accounts/accounts.server.ts';
import { pageTitle } from '#app/lib/network.tsx';
export { AccountPage as default } from '#app/features/review/accounts/account-page.tsx';
export { formHeaders as headers } from '#app/features/review/review.server.ts';
export { accountClientAction as clientAction } from '#app/features/review/accounts/lost-answer.ts';
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: pageTitle('Your account') }];
