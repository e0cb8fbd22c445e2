import { tracked } from '@trpc/server';
import type { z } from 'zod';
import type { Answer, Change, EventFrame } from '#server/live/index.ts';
import type { Services } from '#server/services.ts';
import { NEVER, publicProcedure, Resume } from './init.ts';

/** A query that answers with the bytes of a REST answer. @param _ the schema of what is in them */
export const answerQuery = <Input extends z.ZodType, Output extends z.ZodType>(
  input: Input,
  _: Output,
  answer: (services: Services, input: z.output<Input>) => Answer | Promise<Answer>,
) =>
  publicProcedure
    .meta({ shared: { input, answer } })
    .input(input)
    .query(async ({ ctx, input }) => {
      const made = await answer(ctx.services, input as z.output<Input>);
      const { body } = await made.in('identity');
      return JSON.parse(body.toString()) as z.output<Output>;
    });

/** A subscription to changes, each with the id from which a client resumes. */
export const changesSubscription = <Head, Row, More extends object = object>(
  events: (
    services: Services,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ) => AsyncIterable<EventFrame<Head, Row, More>>,
) =>
  publicProcedure
    .meta({ shared: { input: Resume, events } })
    .input(Resume)
    .subscription(async function* ({ ctx, input, signal }) {
      for await (const { id, data } of events(ctx.services, input?.lastEventId, signal ?? NEVER))
        yield tracked(
          id,
          JSON.parse(Buffer.concat(data).toString()) as Omit<Change<Head, Row>, 'id'> & More,
        );
    });
