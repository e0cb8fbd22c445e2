import { z } from 'zod';
import { publicProcedure } from './init.ts';
import { OBJECT, text } from '#server/common/input.schema.ts';
import { answerQuery } from './shared-bytes.ts';
import { RegisterInfo, Registry } from '@mesh-registry/protocol/rest/registry.schema.ts';

const CandidateName = z.object({ name: text(256) }, OBJECT);

/** Names: active, available, and alternatives to one that is not. Part of the router `registry`. */
export const nameProcedures = {
  list: answerQuery(z.void(), Registry, ({ registry }) => registry.answer()),
  info: answerQuery(z.void(), RegisterInfo, ({ registry }) => registry.infoAnswer()),
  availability: publicProcedure
    .input(CandidateName)
    .query(({ ctx, input }) => ctx.services.names.availability(input.name)),
  alternatives: publicProcedure
    .input(CandidateName)
    .query(({ ctx, input }) => ctx.services.names.alternatives(input.name)),
};
