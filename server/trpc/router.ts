import { computesRouter } from '#server/computes/computes.procedures.ts';
import { historyRouter } from '#server/history/history.procedures.ts';
import { meshRouter } from '#server/mesh/mesh.procedures.ts';
import { notificationsRouter } from '#server/notifications/notifications.procedures.ts';
import { registrationProcedures } from '#server/registration/registration.procedures.ts';
import { nameProcedures } from '#server/registry/registry.procedures.ts';
import { reviewRouter } from '#server/review/review.procedures.ts';
import { searchProcedure } from '#server/search/search.procedures.ts';
import { statusRouter } from '#server/status/status.procedures.ts';
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
