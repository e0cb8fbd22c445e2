import type { QueueItem } from '#server/review/index.ts';
import { dollars } from '#app/lib/formatters.ts';
import { numeral } from './labels.ts';

/** Something about a registration that is worth a look before it is decided. */
export interface Warning {
  title: string;
  text?: string;
}

type Warned = Pick<
  QueueItem,
  'payment' | 'feeUsd' | 'duplicateConfirmation' | 'nodeState' | 'notices'
>;

/** Clocks and time zones may differ by a day (ms). */
const DAY_MS = 86_400_000;

/** The most serious first: the payment, then whose node it is. @param now ms */
export function warningsOf(registration: Warned, now: number): Warning[] {
  const { payment, duplicateConfirmation, nodeState, notices } = registration;
  const warnings = [...paymentWarnings(registration, now)];
  if (duplicateConfirmation)
    warnings.push({
      title: 'Another registration has the same confirmation text.',
      text: 'One payment counts once: compare the two.',
    });
  if (payment.named.length > 0 && payment.state === 'none')
    warnings.push({
      title: 'The payment has another note.',
      text: 'The confirmation text names it: compare before you accept.',
    });
  if (nodeState === 'blocked')
    warnings.push({
      title: 'The node is blocked.',
      text: 'Its heartbeats are rejected, so an accepted name would show no activity.',
    });
  return [...warnings, ...notices.map((notice) => ({ title: notice }))];
}

function paymentWarnings({ payment, feeUsd }: Warned, now: number): Warning[] {
  const [first, ...more] = payment.payments;
  if (!first) return [];
  if (more.length > 0)
    return [
      {
        title: `${capital(numeral(more.length + 1))} payments have this note.`,
        text: 'One counts. Refund the others.',
      },
    ];
  if (payment.state === 'differs') {
    const short = feeUsd - first.amountUsd;
    return [
      {
        title: `The payment is ${dollars(Math.abs(short))} ${short > 0 ? 'short' : 'too much'}.`,
        text: `${dollars(first.amountUsd)} came with this note, the fee is ${dollars(feeUsd)}.`,
      },
    ];
  }
  return Date.parse(first.paidAt) > now + DAY_MS
    ? [{ title: 'The payment is dated in the future.', text: 'Check the export.' }]
    : [];
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
