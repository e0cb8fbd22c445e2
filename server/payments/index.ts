import type { ServiceContext } from '#server/common/context.ts';
import { bulkAccept, outcomes, paidAndWaiting, type BulkAcceptSources } from './bulk-accept.ts';
import { preview } from './csv-table.ts';
import { importPayments, type Upload } from './import.ts';
import { listPayments } from './list.ts';
import type { PaymentQuery } from './payments.schema.ts';

export { naming, type LikelyNote } from './hints.ts';
export { matchPayments, type Payment, type PaymentMatch } from './match.ts';
export { newPaymentNote, payUrl } from './note.ts';

/** Payments from the exports of the payment app, and the registrations they pay for. */
export function createPayments(context: ServiceContext, sources: BulkAcceptSources) {
  const { reviewIndex } = sources;
  return {
    import: (upload: Upload, reviewer: string) => importPayments(context, upload, reviewer),
    /** The first rows of an export. @throws AppError `invalid_body` if it is no table */
    preview,
    list: (query: PaymentQuery) => listPayments(context, reviewIndex, query),
    paidAndWaiting: () => paidAndWaiting(context, reviewIndex),
    accept: (notes: string[], reviewer: string) => bulkAccept(context, sources, notes, reviewer),
    outcomes: (notes: string[]) => outcomes(context, reviewIndex, notes),
  };
}
