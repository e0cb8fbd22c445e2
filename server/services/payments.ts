import { asc, inArray } from 'drizzle-orm';
import { withRetry } from '../../db/retry.ts';
import { payments } from '../../db/schema.ts';
import type { RegistrationRow } from '../live/model.ts';
import type { ServiceContext } from './context.ts';

/** Payments as the payment app's export tells them, beside the registrations whose note they carry. */

export type Payment = Pick<typeof payments.$inferSelect, 'id' | 'paidAt' | 'amountCents' | 'note'>;

export interface PaymentState {
  /** `found`: one payment with the note, of the right amount. `several`: more than one with the note. */
  state: 'found' | 'differs' | 'none' | 'several';
  payments: Payment[];
}

/** By registration id, what was paid with its exact note. @throws AppError `unavailable` */
export async function paymentStates(
  s: ServiceContext,
  rows: Pick<RegistrationRow, 'id' | 'paymentNote' | 'feeCents'>[],
): Promise<Map<string, PaymentState>> {
  const keys = rows.map(({ paymentNote }) => paymentNote.toUpperCase());
  const found =
    keys.length === 0
      ? []
      : await withRetry(() =>
          s.db
            .select()
            .from(payments)
            .where(inArray(payments.noteKey, keys))
            .orderBy(asc(payments.paidAt)),
        );
  return new Map(
    rows.map(({ id, paymentNote, feeCents }) => {
      const key = paymentNote.toUpperCase();
      const own = found.filter((payment) => payment.noteKey === key);
      const state =
        own.length === 0
          ? 'none'
          : own.length > 1
            ? 'several'
            : own[0]?.amountCents === feeCents
              ? 'found'
              : 'differs';
      return [id, { state, payments: own.map(({ noteKey: _, ...payment }) => payment) }];
    }),
  );
}
