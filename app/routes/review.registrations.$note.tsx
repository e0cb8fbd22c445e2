import type { MetaFunction } from '@remix-run/node';
import type { loadRegistration } from '#app/features/review/registrations/registrations.server.ts';

export {
  decideOnRegistration as action,
  loadRegistration as loader,
} from '#app/features/review/registrations/registrations.server.ts';
export { RegistrationPage as default } from '#app/features/review/registrations/registration-page.tsx';
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';
import { pageTitle } from '#app/lib/network.tsx';
/** Also after a refused form: another reviewer has changed what it was about. */
export const shouldRevalidate = () => true;

export const meta: MetaFunction<typeof loadRegistration> = ({ data }) => [
  { title: pageTitle(data?.registration.name ?? 'Registration', 'Review') },
];
