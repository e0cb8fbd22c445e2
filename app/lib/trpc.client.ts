import { createTRPCClient, httpLink, httpSubscriptionLink, splitLink } from '@trpc/client';
import type { AppRouter } from '#server/entry/trpc/router.ts';
import * as hrefs from './hrefs.ts';

const url = hrefs.api.trpc();

/** The typed API in the browser: queries one by one, event streams over EventSource. */
export const trpc = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: ({ type }) => type === 'subscription',
      true: httpSubscriptionLink({ url }),
      false: httpLink({ url }),
    }),
  ],
});
