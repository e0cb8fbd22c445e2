import type { MetaFunction } from '@remix-run/node';
import { offlineActionWith } from '#app/lib/stale-while-offline.ts';
import { pageTitle } from '#app/lib/network.tsx';

export {
  loadSignInCode as loader,
  signInWithCode as action,
} from '#app/features/review/accounts/sign-in.server.ts';
export { SignInCodePage as default } from '#app/features/review/accounts/sign-in-page.tsx';
export { formHeaders as headers } from '#app/features/review/review.server.ts';
export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

/** The code may have been used although its answer was lost. */
export const clientAction = offlineActionWith('Enter the next code your app shows.');

export const meta: MetaFunction = () => [{ title: pageTitle('Second factor') }];
