import type { MetaFunction } from '@remix-run/node';
import { pageTitle } from '#app/lib/network.tsx';

export { loadRegistrations as loader } from '#app/features/review/registrations/registrations.server.ts';
export { RegistrationsPage as default } from '#app/features/review/registrations/registrations-page.tsx';
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: pageTitle('Registrations') }];
