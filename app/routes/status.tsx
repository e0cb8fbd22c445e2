import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { pageMeta } from '#app/lib/page-meta.ts';

export { StatusPage as default } from '#app/features/status/status-page.tsx';

/** GET /status: the state of the service and of Genesis, now and over the last 24 hours. */
export const loader = ({ context }: LoaderFunctionArgs) => context.services.status.summary();

export const meta: MetaFunction = () =>
  pageMeta(
    'Status',
    'The state of the service: its database, its lists, heartbeats and Genesis, now and over the last 24 hours.',
  );
