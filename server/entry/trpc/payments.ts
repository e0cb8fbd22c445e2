import { reviewerProcedure, router } from './init.ts';
import {
  ImportPayments,
  Notes,
  PaymentsInput,
  PreviewExport,
} from '#server/payments/import.schema.ts';

/** Payments, for reviewers. */
export const paymentsRouter = router({
  list: reviewerProcedure
    .input(PaymentsInput)
    .query(({ ctx, input }) => ctx.services.payments.list(input)),
  /** How many payments a person has to look at. */
  countNeedingLook: reviewerProcedure.query(({ ctx }) => ctx.services.payments.countNeedingLook()),
  /** Registrations that can be accepted in bulk, and those that are left out. */
  paidAndWaiting: reviewerProcedure.query(({ ctx }) => ctx.services.review.paidAndWaiting()),
  /** Over HTTP a call has at most 16 KiB: whole exports go through the form of /review/payments. */
  import: reviewerProcedure
    .input(ImportPayments)
    .mutation(({ ctx, input }) => ctx.services.payments.import(input, ctx.reviewer.email)),
  /** The first rows of an export, for choosing its columns. Changes nothing; a file does not fit in a query. */
  preview: reviewerProcedure
    .input(PreviewExport)
    .mutation(({ ctx, input }) => ctx.services.payments.preview(input.text)),
  accept: reviewerProcedure.input(Notes).mutation(async ({ ctx, input: { notes } }) => {
    await ctx.services.review.acceptTogether(notes, ctx.reviewer.email);
    return ctx.services.review.acceptOutcomes(notes);
  }),
  /** The registrations with these notes after they were accepted, or why they were not. */
  outcomes: reviewerProcedure
    .input(Notes)
    .query(({ ctx, input }) => ctx.services.review.acceptOutcomes(input.notes)),
});
