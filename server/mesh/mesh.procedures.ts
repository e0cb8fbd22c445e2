import { z } from 'zod';
import { router } from '#server/trpc/init.ts';
import { answerQuery, changesSubscription } from '#server/trpc/shared-bytes.ts';
import { Mesh } from './mesh.schema.ts';

/** The map. Nodes send their heartbeats over REST, with their credential. */
export const meshRouter = router({
  get: answerQuery(z.void(), Mesh, ({ mesh }) => mesh.answer()),
  changes: changesSubscription(({ mesh }, lastEventId, signal) =>
    mesh.changes(lastEventId, signal),
  ),
});
