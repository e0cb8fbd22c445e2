import type { MetaFunction } from '@remix-run/node';
import { JoinPage } from '#app/features/review/accounts/join-page.tsx';
import { join, loadInvitation } from '#app/features/review/accounts/sign-in.server.ts';
import { formHeaders } from '#app/features/review/review.server.ts';
import { offlineActionWith } from '#app/lib/stale-while-offline.ts';

export const loader = loadInvitation;

export const action = join;
export const clientAction = offlineActionWith(
  'Send it again. If the link no longer works then, your password is already set; sign in with it.',
);
export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Your account · Mesh Registry' }];

export default JoinPage;
