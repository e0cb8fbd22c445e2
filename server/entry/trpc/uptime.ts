import { z } from 'zod';
import { NodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { OBJECT } from '#server/common/input.schema.ts';
import { lookupProcedure, router } from './init.ts';
import { answerQuery } from './shared-bytes.ts';
import {
  HistoryDaysInput,
  NetworkHistory,
  type NodeHistory,
} from '@mesh-registry/protocol/rest/history.schema.ts';

const Days = z.object({ days: HistoryDaysInput }, OBJECT).default({ days: 1 });

/** The history of the network and of single nodes. */
export const historyRouter = router({
  network: answerQuery(Days, NetworkHistory, ({ uptime }, { days }) => uptime.network(days)),
  node: lookupProcedure
    .input(z.object({ node: NodeId, days: HistoryDaysInput }, OBJECT))
    .query(async ({ ctx, input }) => {
      const { body } = await ctx.services.uptime.node(input.node, input.days);
      return JSON.parse(body.toString()) as NodeHistory;
    }),
});
