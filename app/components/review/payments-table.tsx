import { Link } from '@remix-run/react';
import type { PaymentPlace } from '../../../server/schemas/payments.ts';
import type { RegistrationStatus } from '../../../server/schemas/values.ts';
import type { LikelyNote } from '../../../server/services/payment-hints.ts';
import { dollars } from '../../format.ts';
import { Status } from '../glyph.tsx';
import { When } from '../when.tsx';
import { PLACES, remarks } from './payment-words.ts';
import { Records } from './records.tsx';

export interface ShownPayment {
  id: string;
  paidAt: Date;
  amountCents: number;
  note: string;
  place: PaymentPlace;
  registration: {
    name: string;
    note: string;
    status: RegistrationStatus;
    feeCents: number;
    payments: number;
  } | null;
  likely: LikelyNote[];
}

/** Payments, each beside the registration that its note names. */
export function PaymentsTable({ payments }: { payments: ShownPayment[] }) {
  return (
    <Records
      caption="Payments, newest first"
      rows={payments}
      id={({ id }) => id}
      columns={[
        { head: 'Paid', cell: ({ paidAt }) => <When at={paidAt.toISOString()} /> },
        {
          head: 'Amount',
          className: 'num',
          cell: ({ amountCents }) => dollars(amountCents / 100),
        },
        {
          head: 'Note',
          className: 'text',
          cell: ({ note }) => (note === '' ? <span className="secondary">none</span> : note),
        },
        { head: 'State', cell: (payment) => <State payment={payment} /> },
        { head: 'Registration', cell: (payment) => <Named payment={payment} /> },
      ]}
    />
  );
}

function State({ payment }: { payment: ShownPayment }) {
  const { sign, word } = PLACES[payment.place];
  return (
    <>
      <Status status={sign} word={word} />
      {remarks(payment).map((remark) => (
        <span key={remark} className="secondary remark">
          {remark}
        </span>
      ))}
    </>
  );
}

const path = (note: string) => `/review/registrations/${encodeURIComponent(note)}`;

function Named({ payment: { registration, likely } }: { payment: ShownPayment }) {
  if (registration) return <Link to={path(registration.note)}>{registration.name}</Link>;
  if (likely.length === 0) return <span className="secondary">no registration has this note</span>;
  return (
    <ul className="records-likely">
      {likely.map(({ note, name, by }) => (
        <li key={note}>
          <span className="secondary">perhaps</span> <Link to={path(note)}>{name}</Link>{' '}
          <span className="secondary">
            {by === 'note' ? 'nearly its note' : 'its name is in the text'}
          </span>
        </li>
      ))}
    </ul>
  );
}
