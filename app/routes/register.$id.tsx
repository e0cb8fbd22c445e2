import type { MetaFunction } from '@remix-run/node';
import type { ShouldRevalidateFunctionArgs } from '@remix-run/react';
import type { loadRegistration } from '#app/features/registration/registration-page.server.ts';
import { registrationTitle } from '#app/features/registration/registration-page.tsx';
import { pageMeta } from '#app/lib/page-meta.ts';
import { offlineActionWith } from '#app/lib/stale-while-offline.ts';

export {
  changeRegistration as action,
  loadRegistration as loader,
} from '#app/features/registration/registration-page.server.ts';
export { RegistrationPage as default } from '#app/features/registration/registration-page.tsx';
export { secretHeaders as headers } from '#app/lib/secret-headers.ts';
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const clientAction = offlineActionWith('It is safe to send it again.');

/**
 * Also after a form that was refused: somebody else may have changed the registration. Which job is open changes
 * nothing: it opens at once, also offline.
 */
export const shouldRevalidate = ({
  currentUrl,
  nextUrl,
  formMethod,
}: ShouldRevalidateFunctionArgs): boolean =>
  formMethod !== undefined || currentUrl.search === nextUrl.search;

export const meta: MetaFunction<typeof loadRegistration> = ({ data }) => [
  ...pageMeta(
    data?.progress ? registrationTitle(data.progress) : 'Registration not found',
    'The progress of a registration, for anyone who has its link.',
  ),
  { name: 'robots', content: 'noindex, nofollow' },
];
