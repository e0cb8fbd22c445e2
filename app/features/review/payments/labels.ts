import type { MatchState } from '#server/payments/payments.schema.ts';
import type { PeerStatus } from '#server/mesh/values.schema.ts';
import type { RegistrationStatus } from '#server/registration/values.schema.ts';
import { count, dollars } from '#app/lib/formatters.ts';
import { numeral } from '../labels.ts';

/** How the page of payments calls things. The sign of a state is one of the map's. */

export const MATCH_WORDS: Record<MatchState, { word: string; sign: PeerStatus }> = {
  found: { word: 'payment found', sign: 'online' },
  differs: { word: 'amount differs', sign: 'idle' },
  several: { word: 'several payments', sign: 'syncing' },
  unconfirmed: { word: 'paid, not confirmed', sign: 'syncing' },
  unmatched: { word: 'unmatched', sign: 'offline' },
  active: { word: 'active already', sign: 'online' },
  rejected: { word: 'rejected', sign: 'offline' },
  reversed: { word: 'no longer completed', sign: 'offline' },
};

export interface MatchedWords {
  matchState: MatchState;
  amountCents: number;
  registration: { status: RegistrationStatus; feeCents: number; payments: number } | null;
}

/** The state of one payment: "two payments", where the list says "several payments" of all such. */
export const matchWord = ({ matchState, registration }: MatchedWords): string =>
  matchState === 'several' && registration
    ? `${numeral(registration.payments)} payments`
    : MATCH_WORDS[matchState].word;

/** What a reviewer may want to know beside the state: "fee $5.00", "2 payments with this note". */
export function remarks({ matchState, amountCents, registration }: MatchedWords): string[] {
  if (!registration) return [];
  const { status, feeCents, payments } = registration;
  return [
    ...(amountCents === feeCents ? [] : [`fee ${dollars(feeCents / 100)}`]),
    ...(payments > 1 && matchState !== 'several' ? [`${payments} payments with this note`] : []),
    ...(matchState === 'unconfirmed' ? ['the operator has not said that it is paid'] : []),
    ...(matchState === 'rejected' ? ['to be given back, or registered again'] : []),
    ...(matchState === 'reversed' && status === 'active'
      ? ['its name is active all the same']
      : []),
  ];
}

export interface ImportReport {
  rows: number;
  payments: number;
  fresh: number;
  outgoing: number;
  other: number;
  incomplete: number;
  unreadable: { line: number; why: string }[];
  undone: NamedPayment[];
  stillUndone: NamedPayment[];
}

/** For a person to look up in the payment app. */
interface NamedPayment {
  id: string;
  amountCents: number;
  note: string;
}

/** "12 rows: 7 payments (5 new, 2 known), 3 outgoing, 2 not completed." */
export function reportWords(report: ImportReport): string {
  const { rows, payments, fresh, outgoing, other, incomplete, unreadable } = report;
  const known = payments - fresh;
  const parts = [
    `${count(payments)} ${payments === 1 ? 'payment' : 'payments'}${
      payments === 0 ? '' : ` (${count(fresh)} new, ${count(known)} known)`
    }`,
    ...[
      [outgoing, 'outgoing'],
      [incomplete, 'not completed'],
      [other, 'of another kind'],
      [unreadable.length, 'not readable'],
    ].flatMap(([n, word]) => (n ? [`${count(Number(n))} ${word}`] : [])),
  ];
  return `${count(rows)} ${rows === 1 ? 'row' : 'rows'}: ${parts.join(', ')}.`;
}
