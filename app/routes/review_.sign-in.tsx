import type { MetaFunction } from '@remix-run/node';
import { SignInPage } from '#app/features/review/accounts/sign-in-page.tsx';
import { loadSignIn, signIn } from '#app/features/review/accounts/sign-in.server.ts';
import { formHeaders } from '#app/features/review/review.server.ts';
import { offlineActionWith } from '#app/lib/stale-while-offline.ts';

export const loader = loadSignIn;

export const action = signIn;
export const clientAction = offlineActionWith('Send it again.');
export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Reviewer sign-in · Mesh Registry' }];

export default SignInPage;
