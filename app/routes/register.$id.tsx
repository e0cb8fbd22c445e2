import type { HeadersFunction, MetaFunction } from '@remix-run/node';
import type { ClientActionFunctionArgs } from '@remix-run/react';
import {
  changeRegistration,
  loadRegistration,
} from '#app/features/registration/registration-page.server.ts';
import {
  RegistrationPage,
  registrationTitle,
} from '#app/features/registration/registration-page.tsx';
import { pageMeta } from '#app/lib/page-meta.ts';
import { SECRET_HEADERS } from '#app/lib/secret-headers.ts';
import { offlineAction } from '#app/lib/stale-while-offline.ts';

export const loader = loadRegistration;

export const action = changeRegistration;

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const clientAction = (args: ClientActionFunctionArgs) =>
  offlineAction(args, () => 'It is safe to send it again.');

/** Also after a form that was refused: somebody else may have changed the registration. */
export const shouldRevalidate = () => true;

export const headers: HeadersFunction = ({ actionHeaders }) => {
  const headers = new Headers(actionHeaders);
  for (const [name, value] of Object.entries(SECRET_HEADERS)) headers.set(name, value);
  return headers;
};

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  ...pageMeta(
    data?.progress ? registrationTitle(data.progress) : 'Registration not found',
    'The progress of a registration, for anyone who has its link.',
  ),
  { name: 'robots', content: 'noindex, nofollow' },
];

export default RegistrationPage;
