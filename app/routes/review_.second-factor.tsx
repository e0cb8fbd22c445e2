import type { MetaFunction } from '@remix-run/node';
import { SignInCodePage } from '#app/features/review/accounts/sign-in-page.tsx';
import { loadSignInCode, signInWithCode } from '#app/features/review/accounts/sign-in.server.ts';
import { formHeaders } from '#app/features/review/review.server.ts';
import { offlineActionWith } from '#app/lib/stale-while-offline.ts';

export const loader = loadSignInCode;

export const action = signInWithCode;
/** The code may have been used although its answer was lost. */
export const clientAction = offlineActionWith('Enter the next code your app shows.');
export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Second factor · Mesh Registry' }];

export default SignInCodePage;
