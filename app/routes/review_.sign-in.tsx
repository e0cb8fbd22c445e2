import type { MetaFunction } from '@remix-run/node';
import { offlineActionWith } from '#app/lib/stale-while-offline.ts';
import { pageTitle } from '#app/lib/network.tsx';

export {
  loadSignIn as loader,
  signIn as action,
} from '#app/features/review/accounts/sign-in.server.ts';
export { SignInPage as default } from '#app/features/review/accounts/sign-in-page.tsx';
export { formHeaders as headers } from '#app/features/review/review.server.ts';
export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const clientAction = offlineActionWith('Send it again.');

export const meta: MetaFunction = () => [{ title: pageTitle('Reviewer sign-in') }];
