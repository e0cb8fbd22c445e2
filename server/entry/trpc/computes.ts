import { z } from 'zod';
import { router } from './init.ts';
import { answerQuery, changesSubscription } from './shared-bytes.ts';
import { Computes, ComputesQuery } from '@mesh-registry/protocol/rest/computes.schema.ts';

const ListInput = z.object({
  available: z.boolean('must be true or false').default(false),
  visibility: ComputesQuery.shape.visibility,
});

/** The directory of compute offers. Nodes announce theirs over REST, with their credential. */
export const computesRouter = router({
  list: answerQuery(ListInput, Computes, ({ computes }, input) => computes.answer(input)),
  changes: changesSubscription(({ computes }, lastEventId, signal) =>
    computes.changes(lastEventId, signal),
  ),
});
