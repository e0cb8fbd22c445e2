import { computesRouter } from './computes.ts';
import { historyRouter } from './uptime.ts';
import { meshRouter } from './mesh.ts';
import { notificationsRouter } from './notifications.ts';
import { registrationProcedures } from './registration.ts';
import { nameProcedures } from './registry.ts';
import { reviewRouter } from './review.ts';
import { searchProcedure } from './search.ts';
import { statusRouter } from './status.ts';
import { router } from './init.ts';

/**
 * The typed API: the same service functions as the REST interface, for pages and for TypeScript clients.
 * Each domain brings its own procedures.
 */
export const appRouter = router({
  mesh: meshRouter,
  history: historyRouter,
  computes: computesRouter,
  registry: router({
    ...nameProcedures,
    ...registrationProcedures,
    notifications: notificationsRouter,
  }),
  search: searchProcedure,
  status: statusRouter,
  review: reviewRouter,
});

export type AppRouter = typeof appRouter;
