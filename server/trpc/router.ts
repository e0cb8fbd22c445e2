import { tracked } from '@trpc/server';
import { z } from 'zod';
import { Computes, ComputesQuery } from '#server/computes/computes.schema.ts';
import { Mesh } from '#server/mesh/mesh.schema.ts';
import { registrationProcedures } from '#server/registration/registration.procedures.ts';
import { RegisterInfo, Registry } from '#server/registry/registry.schema.ts';
import type { Answer, Change } from '#server/live/index.ts';
import { reviewRouter } from '#server/review/review.procedures.ts';
import { NEVER, OBJECT, text } from './input.ts';
import { publicProcedure, router } from './init.ts';

/**
 * The typed API: the same service functions as the REST paths, for pages and for TypeScript clients.
 * Heartbeats and announces are not here: nodes send them over REST, with their credential.
 */

/** Where a stream goes on; EventSource sends it by itself after a lost connection. */
const Resume = z.object({ lastEventId: text(200).optional() }, OBJECT).optional();

const CandidateName = z.object({ name: text(256) }, OBJECT);

/** The answer's own bytes, parsed: reads stay with the read model, and types with the wire schema. */
const parsed = <Schema extends z.ZodType>(_: Schema, { body }: Answer): z.output<Schema> =>
  JSON.parse(body.toString()) as z.output<Schema>;

async function* events<Head, Row>(changes: AsyncGenerator<Change<Head, Row>>) {
  for await (const { id, ...change } of changes) yield tracked(id, change);
}

export const appRouter = router({
  mesh: router({
    get: publicProcedure.query(({ ctx }) => parsed(Mesh, ctx.services.mesh.answer())),
    changes: publicProcedure
      .input(Resume)
      .subscription(({ ctx, input, signal }) =>
        events(ctx.services.mesh.changes(input?.lastEventId, signal ?? NEVER)),
      ),
  }),
  computes: router({
    list: publicProcedure
      .input(
        z.object({
          available: z.boolean('must be true or false').default(false),
          visibility: ComputesQuery.shape.visibility,
        }),
      )
      .query(({ ctx, input }) => parsed(Computes, ctx.services.computes.answer(input))),
    changes: publicProcedure
      .input(Resume)
      .subscription(({ ctx, input, signal }) =>
        events(ctx.services.computes.changes(input?.lastEventId, signal ?? NEVER)),
      ),
  }),
  status: router({
    summary: publicProcedure.query(({ ctx }) => ctx.services.status.summary()),
  }),
  registry: router({
    list: publicProcedure.query(({ ctx }) => parsed(Registry, ctx.services.registry.answer())),
    info: publicProcedure.query(({ ctx }) =>
      parsed(RegisterInfo, ctx.services.registry.infoAnswer()),
    ),
    availability: publicProcedure
      .input(CandidateName)
      .query(({ ctx, input }) => ctx.services.registry.availability(input.name)),
    alternatives: publicProcedure
      .input(CandidateName)
      .query(({ ctx, input }) => ctx.services.registry.alternatives(input.name)),
    ...registrationProcedures,
  }),
  review: reviewRouter,
});

export type AppRouter = typeof appRouter;
