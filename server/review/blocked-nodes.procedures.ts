import { z } from 'zod';
import { NodeId } from '#server/common/fields.schema.ts';
import { REASON_MAX } from '#server/common/values.schema.ts';
import { OBJECT, text } from '#server/common/input.schema.ts';
import { reviewerProcedure, router } from '#server/trpc/init.ts';

const Input = z.object({ nodeId: NodeId, reason: text(REASON_MAX) }, OBJECT);

/** Blocked nodes. */
export const nodesRouter = router({
  blocked: reviewerProcedure.query(({ ctx }) =>
    ctx.services.nodes.blocked().map(({ id, reason, blockedBy, blockedAt }) => ({
      nodeId: id,
      reason,
      blockedBy,
      blockedAt: blockedAt.toISOString(),
    })),
  ),
  block: reviewerProcedure
    .input(Input)
    .mutation(({ ctx, input }) =>
      ctx.services.nodes.block({ ...input, reviewer: ctx.reviewer.email }),
    ),
  unblock: reviewerProcedure
    .input(Input)
    .mutation(({ ctx, input }) =>
      ctx.services.nodes.unblock({ ...input, reviewer: ctx.reviewer.email }),
    ),
});
