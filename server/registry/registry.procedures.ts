import { z } from 'zod';
import { lookupProcedure, publicProcedure } from '#server/trpc/init.ts';
import { OBJECT, text } from '#server/common/input.schema.ts';
import { parseAnswer } from '#server/trpc/output.ts';
import { RegisterInfo, Registry } from './registry.schema.ts';

const CandidateName = z.object({ name: text(256) }, OBJECT);

/** Names: active, available, and alternatives to one that is not. Part of the router `registry`. */
export const nameProcedures = {
  list: publicProcedure.query(({ ctx }) => parseAnswer(Registry, ctx.services.registry.answer())),
  info: publicProcedure.query(({ ctx }) =>
    parseAnswer(RegisterInfo, ctx.services.registry.infoAnswer()),
  ),
  availability: lookupProcedure
    .input(CandidateName)
    .query(({ ctx, input }) => ctx.services.registry.availability(input.name)),
  alternatives: lookupProcedure
    .input(CandidateName)
    .query(({ ctx, input }) => ctx.services.registry.alternatives(input.name)),
};
