import { useRouteLoaderData } from '@remix-run/react';
import type { loadDashboard } from './review.server.ts';

/**
 * A reviewer's name, with the address on hover. Falls back to the address for a reviewer who joined after the
 * page was opened, and for actors that are not reviewers.
 */
export function ReviewerName({ email }: { email: string }) {
  const name = useRouteLoaderData<typeof loadDashboard>('routes/review')?.names[email];
  return name === undefined ? email : <span title={email}>{name}</span>;
}
