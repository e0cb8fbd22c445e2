import type { MetaFunction } from '@remix-run/node';
import { AccountPage } from '#app/features/review/accounts/account-page.tsx';
import { changeAccount, loadAccount } from '#app/features/review/accounts/accounts.server.ts';
import { formHeaders } from '#app/features/review/review.server.ts';

export const loader = loadAccount;
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const action = changeAccount;
export { accountClientAction as clientAction } from '#app/features/review/accounts/lost-answer.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Your account · Mesh Registry' }];

export default AccountPage;
