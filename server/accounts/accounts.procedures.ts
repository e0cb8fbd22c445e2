import { z } from 'zod';
import { Email, Invite, Role } from './accounts.schema.ts';
import { OBJECT, text } from '#server/trpc/input.ts';
import { administratorProcedure, reviewerProcedure, router } from '#server/trpc/init.ts';

/** Reviewers' accounts. What asks for a password or a code is not here: it goes through the forms only. */

const Of = z.object({ email: Email }, OBJECT);

export const accountsRouter = router({
  list: administratorProcedure.query(({ ctx }) => ctx.services.reviewers.list()),
  /** Answers with the link's token: it is nowhere else. */
  invite: administratorProcedure.input(Invite).mutation(async ({ ctx, input }) => ({
    token: await ctx.services.reviewers.invite(ctx.reviewer.email, input),
  })),
  renewAccess: administratorProcedure.input(Of).mutation(async ({ ctx, input }) => ({
    token: await ctx.services.reviewers.renewAccess(ctx.reviewer.email, input.email),
  })),
  withdraw: administratorProcedure
    .input(Of)
    .mutation(({ ctx, input }) =>
      ctx.services.reviewers.withdraw({ actor: ctx.reviewer.email, ...input }),
    ),
  setRole: administratorProcedure
    .input(Of.extend({ role: Role }))
    .mutation(({ ctx, input }) =>
      ctx.services.reviewers.setRole({ actor: ctx.reviewer.email, ...input }),
    ),
  deactivate: administratorProcedure
    .input(Of)
    .mutation(({ ctx, input }) =>
      ctx.services.reviewers.deactivate({ actor: ctx.reviewer.email, ...input }),
    ),
  reactivate: administratorProcedure
    .input(Of)
    .mutation(({ ctx, input }) =>
      ctx.services.reviewers.reactivate({ actor: ctx.reviewer.email, ...input }),
    ),
  own: router({
    sessions: reviewerProcedure.query(({ ctx }) => ctx.services.reviewers.sessions(ctx.reviewer)),
    endSession: reviewerProcedure
      .input(z.object({ id: text(64) }, OBJECT))
      .mutation(({ ctx, input }) => ctx.services.reviewers.endSession(ctx.reviewer, input.id)),
    endOtherSessions: reviewerProcedure.mutation(({ ctx }) =>
      ctx.services.reviewers.endOtherSessions(ctx.reviewer),
    ),
  }),
});
