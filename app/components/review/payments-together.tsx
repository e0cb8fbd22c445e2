import { Link } from '@remix-run/react';
import { useState } from 'react';
import type { PaymentState } from '../../../server/services/payments.ts';
import type { RegistrationStatus } from '../../../server/schemas/values.ts';
import type { FormError } from '../../form.server.ts';
import { dollars } from '../../format.ts';
import { Status } from '../glyph.tsx';
import { When } from '../when.tsx';
import { ActionForm } from './form.tsx';

/** Registrations whose payment was found, to be accepted together after a look, and what became of them. */

export interface PaidRegistration {
  name: string;
  note: string;
  kinds: string[] | null;
  amountCents: number;
  paidAt: Date;
}

export function AcceptTogether({
  rows,
  problem,
}: {
  rows: PaidRegistration[];
  problem: FormError | undefined;
}) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = rows.filter(({ note }) => !left.has(note)).length;
  const toggle = (note: string, checked: boolean) =>
    setLeft((before) => {
      const next = new Set(before);
      if (checked) next.delete(note);
      else next.add(note);
      return next;
    });
  return (
    <section className="card" aria-labelledby="together">
      <h2 id="together">Paid, and waiting for review</h2>
      <ActionForm
        intent="accept"
        problem={problem}
        does={
          <>
            <span className="without-scripts">Accept the chosen ones</span>
            <span className="needs-scripts">
              Accept {chosen} {chosen === 1 ? 'registration' : 'registrations'}
            </span>
          </>
        }
        look="primary"
        nothing={chosen === 0}
        stays
      >
        <ul className="records-together">
          {rows.map(({ name, note, kinds, amountCents, paidAt }) => (
            <li key={note}>
              <label>
                <input
                  type="checkbox"
                  name="note"
                  value={note}
                  defaultChecked
                  onChange={({ target }) => toggle(note, target.checked)}
                />
                <span className="name">{name}</span>
                <code>{note}</code>
                <span>
                  {dollars(amountCents / 100)} <When at={paidAt.toISOString()} />
                </span>
                <span className="secondary">{kinds?.join(', ')}</span>
              </label>
              <Link to={`/review/registrations/${encodeURIComponent(note)}`}>Look</Link>
            </li>
          ))}
        </ul>
      </ActionForm>
    </section>
  );
}

export interface ShownOutcome {
  note: string;
  name: string;
  status: RegistrationStatus;
  decidedBy: string | null;
  decidedAt: Date | null;
  reason: string | null;
  payment: PaymentState['state'];
}

export function Outcomes({ rows }: { rows: ShownOutcome[] }) {
  return (
    <section className="card" aria-labelledby="outcomes">
      <h2 id="outcomes">What became of them</h2>
      <ul className="records-outcomes" role="status">
        {rows.map((row) => (
          <li key={row.note}>
            <Link className="name" to={`/review/registrations/${encodeURIComponent(row.note)}`}>
              {row.name}
            </Link>{' '}
            <Outcome row={row} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** As it stands now: whoever was first decided it. */
function Outcome({ row }: { row: ShownOutcome }) {
  const { status, decidedBy, decidedAt, reason, payment } = row;
  const by = (
    <>
      by {decidedBy}
      {decidedAt && (
        <>
          , <When at={decidedAt.toISOString()} />
        </>
      )}
    </>
  );
  switch (status) {
    case 'active':
      return (
        <>
          <Status status="online" word="accepted" /> {by}
        </>
      );
    case 'rejected':
      return (
        <>
          <Status status="offline" word="rejected" /> {by}
          {reason && `: ${reason}`}
        </>
      );
    default:
      return (
        <>
          <Status status="idle" word="not accepted" />: {WAITS[payment]}
        </>
      );
  }
}

const WAITS: Record<PaymentState['state'], string> = {
  found: 'another reviewer is deciding it, or it has been confirmed anew. Look at it.',
  differs: 'the amount of its payment is not its fee.',
  several: 'there is another payment with its note by now.',
  none: 'there is no payment with its note.',
};
