import { accountsRouter, joinRouter, sessionRouter } from '#server/accounts/accounts.procedures.ts';
import { paymentsRouter } from '#server/payments/payments.procedures.ts';
import { namesRouter } from '#server/registry/reserved-names.procedures.ts';
import { router } from '#server/trpc/init.ts';
import { nodesRouter } from './blocked-nodes.procedures.ts';
import { historyRouter } from './history.procedures.ts';
import { queueRouter, registrationsRouter } from './queue.procedures.ts';

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
