import { z } from 'zod';
import { HISTORY_EVENTS, HISTORY_QUERY_MAX, readDay } from '../schemas/history.ts';
import { reviewerProcedure, router } from './trpc.ts';

const text = z
  .string('must be a string')
  .max(HISTORY_QUERY_MAX, `must be at most ${HISTORY_QUERY_MAX} characters`)
  .default('');
const day = z
  .string('must be a string')
  .refine((day) => day === '' || readDay(day) !== '', 'must be a day, such as 2026-11-20')
  .default('');
const cursor = z
  .object({
    at: z.iso.datetime('must be an ISO 8601 timestamp').transform((at) => new Date(at)),
    id: z.string('must be a string').max(100, 'must be at most 100 characters'),
  })
  .nullable()
  .default(null);

export const historyRouter = router({
  page: reviewerProcedure
    .input(
      z.object(
        {
          q: text,
          actor: text,
          event: z.enum(HISTORY_EVENTS, 'must be a kind of event').nullable().default(null),
          from: day,
          until: day,
          before: cursor,
          after: cursor,
        },
        'must be a JSON object',
      ),
    )
    .query(({ ctx, input }) => ctx.services.history.page(input)),
  actors: reviewerProcedure.query(({ ctx }) => ctx.services.history.actors()),
});
