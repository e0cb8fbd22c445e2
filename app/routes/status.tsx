import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import type { PageHandle } from '#app/lib/page-handle.ts';
import { pageMeta } from '#app/lib/page-meta.ts';

export const handle: PageHandle = { shared: true };

export { StatusPage as default } from '#app/features/status/status-page.tsx';

/** GET /status: the state of the service and of Genesis, now and over the last 24 hours. */
export const loader = ({ context }: LoaderFunctionArgs) => context.services.status.summary();

export const meta: MetaFunction = () =>
  pageMeta(
    'Status',
    'The state of the service: its database, its lists, heartbeats and Genesis, now and over the last 24 hours.',
  );
