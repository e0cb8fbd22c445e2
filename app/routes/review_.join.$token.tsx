import type { MetaFunction } from '@remix-run/node';
import { offlineActionWith } from '#app/lib/stale-while-offline.ts';
import { pageTitle } from '#app/lib/network.tsx';

export {
  join as action,
  loadInvitation as loader,
} from '#app/features/review/accounts/sign-in.server.ts';
export { JoinPage as default } from '#app/features/review/accounts/join-page.tsx';
export { formHeaders as headers } from '#app/features/review/review.server.ts';
export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const clientAction = offlineActionWith(
  'Send it again. If the link no longer works then, your password is already set; sign in with it.',
);

export const meta: MetaFunction = () => [{ title: pageTitle('Your account') }];
