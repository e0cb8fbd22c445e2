import { historyRouter } from './history.procedures.ts';
import { namesRouter } from '#server/registry/reserved-names.procedures.ts';
import { accountsRouter } from '#server/accounts/accounts.procedures.ts';
import { nodesRouter } from './blocked-nodes.procedures.ts';
import { paymentsRouter } from '#server/payments/payments.procedures.ts';
import { queueRouter, registrationsRouter } from './queue.procedures.ts';
import { router } from '#server/trpc/init.ts';

/** The reviewers' part of the typed API. Every procedure is a reviewerProcedure or an administratorProcedure. */
export const reviewRouter = router({
  history: historyRouter,
  names: namesRouter,
  accounts: accountsRouter,
  nodes: nodesRouter,
  payments: paymentsRouter,
  queue: queueRouter,
  registrations: registrationsRouter,
});
