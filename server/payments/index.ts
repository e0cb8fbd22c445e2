import type { ServiceContext } from '#server/context.ts';
import type { ReviewIndex } from '#server/registration/index.ts';
import { preview } from './csv-table.ts';
import type { Upload } from './import.schema.ts';
import { importPayments } from './import.ts';
import { countNeedingLook, listPayments } from './list.ts';
import type { PaymentFilter } from './payments.schema.ts';

export type { ImportReport, UnmappedExport } from './import.ts';
export type { MatchedPayment } from './list.ts';
export { lettersOf, naming, type LikelyNote } from './hints.ts';
export {
  idLetters,
  isFuture,
  matchPayments,
  PAYMENT_COLUMNS,
  readMatches,
  type Payment,
  type PaymentMatch,
} from './match.ts';

/** Payments from the exports of the payment app, and the registrations they pay for. */
export function createPayments(
  context: ServiceContext,
  { reviewIndex }: { reviewIndex: ReviewIndex },
) {
  return {
    import: (upload: Upload, reviewer: string) => importPayments(context, upload, reviewer),
    /** The first rows of an export. @throws AppError `invalid_body` if it is no table */
    preview,
    list: (filter: PaymentFilter) => listPayments(context, reviewIndex, filter),
    countNeedingLook: () => countNeedingLook(context, reviewIndex),
  };
}
