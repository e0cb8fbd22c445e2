import { useRouteLoaderData } from '@remix-run/react';
import type { loader } from '#app/routes/review.tsx';

/**
 * A reviewer as the others call them; the address on hover. Whoever the page does not know yet, and what is
 * no reviewer, goes by what the history says.
 * @param email what the history calls them
 */
export function Person({ email }: { email: string }) {
  const name = useRouteLoaderData<typeof loader>('routes/review')?.names[email];
  return name === undefined ? email : <span title={email}>{name}</span>;
}
