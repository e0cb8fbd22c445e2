import type { ServiceContext } from '#server/context.ts';
import {
  bulkAccept,
  outcomes,
  paidAndWaiting,
  type BulkAcceptSources,
} from '#server/review/bulk-accept.ts';
import { preview } from './csv-table.ts';
import { importPayments, type Upload } from './import.ts';
import { countNeedingLook, listPayments } from './list.ts';
import type { PaymentFilter } from './payments.schema.ts';

export type { ImportReport, UnmappedExport } from './import.ts';
export type { MatchedPayment } from './list.ts';
export type { LeftOut, Outcome } from '#server/review/bulk-accept.ts';
export { naming, type LikelyNote } from './hints.ts';
export { matchPayments, type Payment, type PaymentMatch } from './match.ts';
export { newPaymentNote, payUrl } from '#server/registration/payment-note.ts';

/** Payments from the exports of the payment app, and the registrations they pay for. */
export function createPayments(context: ServiceContext, sources: BulkAcceptSources) {
  const { reviewIndex } = sources;
  return {
    import: (upload: Upload, reviewer: string) => importPayments(context, upload, reviewer),
    /** The first rows of an export. @throws AppError `invalid_body` if it is no table */
    preview,
    list: (filter: PaymentFilter) => listPayments(context, reviewIndex, filter),
    countNeedingLook: () => countNeedingLook(context, reviewIndex),
    paidAndWaiting: () => paidAndWaiting(context, reviewIndex),
    accept: (notes: string[], reviewer: string) => bulkAccept(context, sources, notes, reviewer),
    outcomes: (notes: string[]) => outcomes(context, reviewIndex, notes),
  };
}
