import { accountsRouter, joinRouter, sessionRouter } from './accounts.ts';
import { paymentsRouter } from './payments.ts';
import { namesRouter } from './reserved-names.ts';
import { router } from './init.ts';
import { nodesRouter } from './blocked-nodes.ts';
import { historyRouter } from './audit.ts';
import { queueRouter, registrationsRouter } from './queue.ts';

/**
 * The reviewers' part of the typed API. Every procedure is for reviewers or administrators, except those of
 * `session` and `join`, by which somebody becomes one.
 */
export const reviewRouter = router({
  history: historyRouter,
  names: namesRouter,
  accounts: accountsRouter,
  nodes: nodesRouter,
  payments: paymentsRouter,
  queue: queueRouter,
  registrations: registrationsRouter,
  session: sessionRouter,
  join: joinRouter,
});
