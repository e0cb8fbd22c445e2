import { nodesRouter } from './review-nodes.ts';
import { router } from './trpc.ts';

/** The reviewers' part of the typed API. Every procedure is a reviewerProcedure or an administratorProcedure. */
export const reviewRouter = router({
  nodes: nodesRouter,
});
