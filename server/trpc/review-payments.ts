import { z } from 'zod';
import {
  DATE_ORDERS,
  PAYMENT_PLACES,
  PAYMENT_SEARCH_MAX,
  TOGETHER_MAX,
} from '../schemas/payments.ts';
import { reviewerProcedure, router } from './trpc.ts';

const OBJECT = 'must be a JSON object';
const Column = z.int('must be the number of a column, from 0');
const Page = z.int('must be a whole number').min(1, 'must be 1 or more').default(1);

const Mapping = z.object(
  {
    date: Column,
    order: z.enum(DATE_ORDERS, 'must be ymd, dmy or mdy'),
    amount: Column,
    note: Column,
    id: Column.nullable().default(null),
    currency: Column.nullable().default(null),
    state: Column.nullable().default(null),
  },
  OBJECT,
);

export const paymentsRouter = router({
  list: reviewerProcedure
    .input(
      z.object(
        {
          q: z
            .string('must be a string')
            .max(PAYMENT_SEARCH_MAX, `must be at most ${PAYMENT_SEARCH_MAX} characters`)
            // The database takes no NUL.
            .transform((q) => q.replaceAll('\0', ''))
            .default(''),
          place: z.enum(PAYMENT_PLACES, 'must be a state of payments').nullable().default(null),
          page: Page,
        },
        OBJECT,
      ),
    )
    .query(({ ctx, input }) => ctx.services.payments.list(input)),
  paidAndWaiting: reviewerProcedure.query(({ ctx }) => ctx.services.payments.paidAndWaiting()),
  /** For a few rows: a call is at most 16 KiB. Whole exports go through the form of /review/payments. */
  import: reviewerProcedure
    .input(
      z.object(
        {
          text: z.string('must be a string'),
          mapping: Mapping.optional(),
        },
        OBJECT,
      ),
    )
    .mutation(({ ctx, input }) => ctx.services.payments.import(input, ctx.reviewer.email)),
  accept: reviewerProcedure
    .input(
      z.object(
        {
          notes: z
            .array(z.string('must be a string'), 'must be an array of payment notes')
            .max(TOGETHER_MAX, `must be at most ${TOGETHER_MAX}`),
        },
        OBJECT,
      ),
    )
    .mutation(async ({ ctx, input: { notes } }) => {
      await ctx.services.payments.accept(notes, ctx.reviewer.email);
      return ctx.services.payments.outcomes(notes);
    }),
});
