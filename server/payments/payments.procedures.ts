import { z } from 'zod';
import {
  DATE_ORDERS,
  FILE_BYTES,
  PAYMENT_PLACES,
  PAYMENT_SEARCH_MAX,
  TOGETHER_MAX,
} from './payments.schema.ts';
import { Note, OBJECT, Page, text } from '#server/trpc/input.ts';
import { reviewerProcedure, router } from '#server/trpc/init.ts';

const Column = z.int('must be the number of a column, from 0');

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
          q: text(PAYMENT_SEARCH_MAX).default(''),
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
    .input(z.object({ text: text(FILE_BYTES), mapping: Mapping.optional() }, OBJECT))
    .mutation(({ ctx, input }) => ctx.services.payments.import(input, ctx.reviewer.email)),
  accept: reviewerProcedure
    .input(
      z.object(
        {
          notes: z
            .array(Note, 'must be an array of payment notes')
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
