import { z } from 'zod';
import { HISTORY_EVENTS, HISTORY_QUERY_MAX, readDay } from './history.schema.ts';
import { OBJECT, text } from '#server/trpc/input.ts';
import { reviewerProcedure, router } from '#server/trpc/init.ts';

const Sought = text(HISTORY_QUERY_MAX).default('');
const Day = z
  .string('must be a string')
  .refine((day) => day === '' || readDay(day) !== '', 'must be a day, such as 2026-11-20')
  .default('');
const Cursor = z
  .object(
    {
      at: z.iso
        .datetime({ error: 'must be an ISO 8601 timestamp', abort: true })
        // As the days: the database does not know every year that a timestamp can name.
        .refine((at) => at.startsWith('20'), 'must be of this century')
        .transform((at) => new Date(at)),
      id: text(100),
    },
    OBJECT,
  )
  .nullable()
  .default(null);

export const historyRouter = router({
  page: reviewerProcedure
    .input(
      z.object(
        {
          q: Sought,
          actor: Sought,
          event: z.enum(HISTORY_EVENTS, 'must be a kind of event').nullable().default(null),
          from: Day,
          until: Day,
          before: Cursor,
          after: Cursor,
        },
        OBJECT,
      ),
    )
    .query(({ ctx, input }) => ctx.services.history.page(input)),
  actors: reviewerProcedure.query(({ ctx }) => ctx.services.history.actors()),
});
