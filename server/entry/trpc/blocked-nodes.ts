import { z } from 'zod';
import { NodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { REASON_MAX } from '@mesh-registry/protocol/values.schema.ts';
import { OBJECT, text, WholeNumber } from '#server/common/input.schema.ts';
import { MATCH_MAX } from '#server/nodes/removal.schema.ts';
import { reviewerProcedure, router } from './init.ts';
import { readDay } from '#server/audit/history.schema.ts';

const Input = z.object({ nodeId: NodeId, reason: text(REASON_MAX) }, OBJECT);

const Day = z
  .string('must be a string')
  .refine((day) => day === '' || readDay(day) !== '', 'must be a day, such as 2026-11-20')
  .default('');
const Filter = z.object({ match: text(MATCH_MAX).default(''), silentSince: Day }, OBJECT);
const Removal = Filter.extend({ expected: WholeNumber, reason: text(REASON_MAX) });

/** Nodes that are blocked, and nodes that are removed. */
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
  /** The key to which a node's id is pinned; null: none, or no id. */
  key: reviewerProcedure
    .input(z.object({ nodeId: text(MATCH_MAX) }, OBJECT))
    .query(({ ctx, input }) => {
      const pin = ctx.services.identity.pinOf(input.nodeId);
      return pin
        ? { nodeId: pin.id, key: pin.key, source: pin.source, pinnedAt: pin.pinnedAt.toISOString() }
        : null;
    }),
  /** Ends the pin of a node whose key is lost or stolen. */
  resetKey: reviewerProcedure
    .input(Input)
    .mutation(({ ctx, input }) =>
      ctx.services.identity.reset({ ...input, reviewer: ctx.reviewer.email }),
    ),
  /** How many nodes `remove` would remove, and the first of them. */
  removable: reviewerProcedure
    .input(Filter)
    .query(({ ctx, input }) => ctx.services.nodes.removable(input)),
  /** Removes all nodes that match, for good, unless they are more than `expected`. */
  remove: reviewerProcedure
    .input(Removal)
    .mutation(async ({ ctx, input: { expected, reason, ...filter } }) => ({
      removed: await ctx.services.nodes.removeMatching({
        filter,
        expected,
        reason,
        reviewer: ctx.reviewer.email,
      }),
    })),
});
