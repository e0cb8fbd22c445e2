import { Link } from '@remix-run/react';
import { useEffect, useRef, useState } from 'react';
import type { PaymentMatch } from '#server/payments/index.ts';
import type { RegistrationStatus } from '#server/registration/values.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { count, dollars } from '#app/lib/formatters.ts';
import { Status } from '#app/ui/status-icon.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { ActionForm } from '#app/ui/form.tsx';
import { ReviewerName } from '../reviewer-name.tsx';

/** Registrations whose payment was found, to be accepted together after a look, and what became of them. */

export interface PaidRegistration {
  name: string;
  note: string;
  kinds: string[] | null;
  amountCents: number;
  paidAt: Date;
}

/**
 * Rows that the page has when it is opened are chosen; those that come later are not, because a key or a
 * click that was meant for the others would accept them unseen.
 */
export function AcceptTogether({
  rows,
  total,
  problem,
}: {
  /** The oldest ones. */
  rows: PaidRegistration[];
  total: number;
  problem: FormError | undefined;
}) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => notesOf(rows));
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // What was taken out before the scripts came, and what a browser keeps over a reload.
    const left = list.current?.querySelectorAll<HTMLInputElement>('input:not(:checked)');
    setChosen((notes) =>
      without(
        notes,
        [...(left ?? [])].map(({ value }) => value),
      ),
    );
  }, []);
  const number = rows.filter(({ note }) => chosen.has(note)).length;
  return (
    <section className="card" aria-labelledby="together">
      <h2 id="together">Paid, and waiting for review</h2>
      {total > rows.length && (
        <p>
          The oldest {count(rows.length)} of {count(total)}
        </p>
      )}
      <ActionForm
        intent="accept"
        problem={problem}
        submitLabel={
          <>
            <span className="without-scripts">Accept the chosen ones</span>
            <span className="needs-scripts">
              Accept {number} {number === 1 ? 'registration' : 'registrations'}
            </span>
          </>
        }
        look="primary"
        disabled={number === 0}
        keepValues
      >
        {rows.length > 1 && (
          <label className="records-all needs-scripts">
            <input
              type="checkbox"
              checked={number === rows.length}
              onChange={({ target }) => setChosen(target.checked ? notesOf(rows) : new Set())}
            />
            Select all
          </label>
        )}
        <ul className="records-together" ref={list}>
          {rows.map(({ name, note, kinds, amountCents, paidAt }) => (
            <li key={note}>
              <label>
                <input
                  type="checkbox"
                  name="note"
                  value={note}
                  checked={chosen.has(note)}
                  onChange={({ target }) =>
                    setChosen(target.checked ? new Set([...chosen, note]) : without(chosen, [note]))
                  }
                />
                <span className="name">{name}</span>
                <code>{note}</code>
                <span>
                  {dollars(amountCents / 100)} <RelativeTime at={paidAt.toISOString()} />
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

const notesOf = (rows: PaidRegistration[]) => new Set(rows.map(({ note }) => note));

const without = (notes: ReadonlySet<string>, gone: string[]) =>
  new Set([...notes].filter((note) => !gone.includes(note)));

export interface ShownOutcome {
  note: string;
  name: string;
  status: RegistrationStatus;
  decidedBy: string | null;
  decidedAt: Date | null;
  reason: string | null;
  payment: PaymentMatch['state'];
}

/** Takes the focus from the button, whose form has other rows by now. */
export function Outcomes({
  rows,
  of,
}: {
  rows: ShownOutcome[];
  /** Of which form that was sent from this page; null: of one that was sent before it was opened. */
  of: string | null;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (of !== null) heading.current?.focus();
  }, [of]);
  return (
    <section className="card" aria-labelledby="outcomes">
      <h2 id="outcomes" ref={heading} tabIndex={-1}>
        Results
      </h2>
      <div role="status">
        <ul className="records-outcomes">
          {rows.map((row) => (
            <li key={row.note}>
              <Link className="name" to={`/review/registrations/${encodeURIComponent(row.note)}`}>
                {row.name}
              </Link>{' '}
              <Outcome row={row} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

/** As it stands now: whoever was first decided it. */
function Outcome({ row }: { row: ShownOutcome }) {
  const { status, decidedBy, decidedAt, reason, payment } = row;
  const by = (
    <>
      by {decidedBy && <ReviewerName email={decidedBy} />}
      {decidedAt && (
        <>
          , <RelativeTime at={decidedAt.toISOString()} />
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

const WAITS: Record<PaymentMatch['state'], string> = {
  found: 'another reviewer is deciding it, or it has been confirmed anew. Look at it.',
  differs: 'the amount of its payment is not its fee.',
  several: 'there is another payment with its note by now.',
  none: 'there is no payment with its note.',
};
