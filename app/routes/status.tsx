import type { MetaFunction } from '@remix-run/node';
import { loadStatus } from '#app/features/status/status-page.server.ts';
import { StatusPage } from '#app/features/status/status-page.tsx';
import { pageMeta } from '#app/lib/page-meta.ts';

export const loader = loadStatus;

export const meta: MetaFunction = () =>
  pageMeta(
    'Status',
    'The state of the service: its database, its lists, heartbeats and Genesis, now and over the last 24 hours.',
  );

export default StatusPage;
