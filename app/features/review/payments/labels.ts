import type { ImportReport, MatchedPayment } from '#server/payments/index.ts';
import type { LeftOut, Outcome } from '#server/review/index.ts';
import type { MatchState } from '#server/payments/payments.schema.ts';
import { count, counted, dollars } from '#app/lib/formatters.ts';
import { numeral, type Label } from '../labels.ts';

/** What the payments page calls states, flags and results. */

export const MATCH_LABEL: Record<MatchState, Label> = {
  found: { status: 'online', word: 'payment found' },
  differs: { status: 'idle', word: 'amount differs' },
  several: { status: 'syncing', word: 'several payments' },
  unconfirmed: { status: 'syncing', word: 'paid, not confirmed' },
  unmatched: { status: 'offline', word: 'unmatched' },
  active: { status: 'online', word: 'already active' },
  rejected: { status: 'offline', word: 'rejected' },
  reversed: { status: 'offline', word: 'no longer completed' },
};

type Matched = Pick<MatchedPayment, 'matchState' | 'amountCents' | 'registration'>;

/** The state of one payment: "two payments", where a list of all such says "several payments". */
export function matchLabel({ matchState, registration }: Matched): Label {
  const label = MATCH_LABEL[matchState];
  return matchState === 'several' && registration
    ? { ...label, word: `${numeral(registration.payments)} payments` }
    : label;
}

/** What a reviewer may want to know beside the state: "fee $5.00", "2 payments with this note". */
export function matchRemarks({ matchState, amountCents, registration }: Matched): string[] {
  if (!registration) return [];
  const { status, feeCents, payments } = registration;
  return [
    ...(amountCents === feeCents ? [] : [`fee ${dollars(feeCents / 100)}`]),
    ...(payments > 1 && matchState !== 'several' ? [`${payments} payments with this note`] : []),
    ...(matchState === 'unconfirmed' ? ['the operator hasn’t reported the payment'] : []),
    ...(matchState === 'rejected' ? ['refund it, or have the name registered again'] : []),
    ...(matchState === 'reversed' && status === 'active' ? ['its name is still active'] : []),
  ];
}

/** Why a paid registration is not accepted in bulk, and what to do about it. */
export const LEFT_OUT: Record<LeftOut, string> = {
  future: 'Its payment is dated in the future. Check the export.',
  duplicate: 'Another registration has the same confirmation text. Compare the two.',
  notice: 'A notice says that its node may be somebody else’s. Check whose node it is.',
};

const NOT_ACCEPTED: Record<Outcome['payment'], string> = {
  found: 'Another reviewer is deciding it, or its operator changed the confirmation text. Open it.',
  differs: 'The amount paid differs from the fee.',
  several: 'Another payment with this note was imported.',
  none: 'No payment has this note.',
};

/** Why a registration is still waiting after it was to be accepted. */
export const whyNotAccepted = ({ leftOut, payment }: Pick<Outcome, 'leftOut' | 'payment'>) =>
  leftOut ? LEFT_OUT[leftOut] : NOT_ACCEPTED[payment];

/** "12 rows: 7 payments (5 new, 2 known), 3 outgoing, 2 not completed." */
export function importSummary(report: ImportReport): string {
  const { rows, payments, fresh, known, outgoing, other, incomplete, unreadable } = report;
  const parts = [
    `${counted(payments, 'payment')}${
      payments === 0 ? '' : ` (${count(fresh)} new, ${count(known)} known)`
    }`,
    ...(
      [
        [outgoing, 'outgoing'],
        [incomplete, 'not completed'],
        [other, 'of another kind'],
        [unreadable.length, 'unreadable'],
      ] as const
    ).flatMap(([n, word]) => (n ? [`${count(n)} ${word}`] : [])),
  ];
  return `${counted(rows, 'row')}: ${parts.join(', ')}.`;
}
