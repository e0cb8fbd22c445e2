import { z } from 'zod';
import { OBJECT, text } from '#server/common/input.schema.ts';
import { lookupProcedure } from './init.ts';
import { SEARCH_MAX } from '#server/search/search.schema.ts';

/** Nodes, names and compute offers by a part of their texts. */
export const searchProcedure = lookupProcedure
  .input(z.object({ q: text(SEARCH_MAX) }, OBJECT))
  .query(({ ctx, input }) => ctx.services.search.find(input.q));
