import type { MetaFunction } from '@remix-run/node';
import { RegistrationPage } from '#app/features/review/registrations/registration-page.tsx';
import {
  decideOnRegistration,
  loadRegistration,
} from '#app/features/review/registrations/registrations.server.ts';

export const loader = loadRegistration;
export const action = decideOnRegistration;
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';
/** Also after a refused form: another reviewer has changed what it was about. */
export const shouldRevalidate = () => true;

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `${data?.registration.name ?? 'Registration'} · Review · Mesh Registry` },
];

export default RegistrationPage;
