import { z } from 'zod';
import { OBJECT, text } from '#server/common/input.schema.ts';
import { reviewerProcedure, router } from './init.ts';
import { HISTORY_EVENTS, HISTORY_QUERY_MAX, readDay } from '#server/audit/history.schema.ts';

const SearchText = text(HISTORY_QUERY_MAX).default('');
const Day = z
  .string('must be a string')
  .refine((day) => day === '' || readDay(day) !== '', 'must be a day, such as 2026-11-20')
  .default('');

const Filter = z.object(
  {
    q: SearchText,
    actor: SearchText,
    event: z.enum(HISTORY_EVENTS, 'must be a kind of event').nullable().default(null),
    from: Day,
    until: Day,
  },
  OBJECT,
);

const TIMESTAMP = 'must be an ISO 8601 timestamp';
/** From JSON, or as `readHistoryQuery` has it. */
const Moment = z
  .union([z.date(TIMESTAMP), z.iso.datetime(TIMESTAMP).transform((at) => new Date(at))], TIMESTAMP)
  // Like the days: a timestamp can name years that the database does not know.
  .refine((at) => at.toISOString().startsWith('20'), 'must be in this century');
const Cursor = z
  .object({ at: Moment, id: text(100) }, OBJECT)
  .nullable()
  .default(null);

export const historyRouter = router({
  page: reviewerProcedure
    .input(Filter.extend({ before: Cursor, after: Cursor }))
    .query(({ ctx, input }) => ctx.services.audit.page(input)),
  /** Every entry that the filter matches, newest first, in batches: for the CSV download. */
  export: reviewerProcedure
    .input(Filter)
    .subscription(({ ctx, input }) => ctx.services.audit.export(input)),
  actors: reviewerProcedure.query(({ ctx }) => ctx.services.audit.actors()),
});
