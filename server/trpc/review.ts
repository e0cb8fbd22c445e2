import { historyRouter } from './review-history.ts';
import { namesRouter } from './review-names.ts';
import { accountsRouter } from './review-accounts.ts';
import { nodesRouter } from './review-nodes.ts';
import { paymentsRouter } from './review-payments.ts';
import { queueRouter, registrationsRouter } from './review-queue.ts';
import { router } from './trpc.ts';

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
