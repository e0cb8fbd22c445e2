import type { MetaFunction } from '@remix-run/node';
import { loadRegistrations } from '#app/features/review/registrations/registrations.server.ts';
import { RegistrationsPage } from '#app/features/review/registrations/registrations-page.tsx';

export const loader = loadRegistrations;
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'Registrations · Mesh Registry' }];

export default RegistrationsPage;
