import { createTRPCClient, httpSubscriptionLink } from '@trpc/client';
import type { AppRouter } from '../server/trpc/router.ts';

/** The typed API in the browser. Only its event streams are used so far, over EventSource. */
export const trpc = createTRPCClient<AppRouter>({
  links: [httpSubscriptionLink({ url: '/api/trpc' })],
});
