import { Link } from '@remix-run/react';
import type { PaymentPlace } from '../../../server/schemas/payments.ts';
import type { RegistrationStatus } from '../../../server/schemas/values.ts';
import type { LikelyNote } from '../../../server/services/payment-hints.ts';
import { dollars } from '../../format.ts';
import { Status } from '../glyph.tsx';
import { When } from '../when.tsx';
import { PLACES, remarks } from './payment-words.ts';

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
    <table className="table records" role="table">
      <caption className="visually-hidden">Payments, newest first</caption>
      <thead role="rowgroup">
        <tr role="row">
          {['Paid', 'Amount', 'Note', 'State', 'Registration'].map((head) => (
            <th
              key={head}
              role="columnheader"
              scope="col"
              className={head === 'Amount' ? 'num' : undefined}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {payments.map((payment) => (
          <tr key={payment.id} role="row">
            <td role="cell" data-label="Paid">
              <When at={payment.paidAt.toISOString()} />
            </td>
            <td role="cell" data-label="Amount" className="num">
              {dollars(payment.amountCents / 100)}
            </td>
            <td role="cell" data-label="Note" className="text">
              {payment.note === '' ? <span className="secondary">none</span> : payment.note}
            </td>
            <td role="cell" data-label="State">
              <Status status={PLACES[payment.place].sign} word={PLACES[payment.place].word} />
              {remarks(payment).map((remark) => (
                <span key={remark} className="secondary remark">
                  {remark}
                </span>
              ))}
            </td>
            <td role="cell" data-label="Registration">
              <Named payment={payment} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
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
