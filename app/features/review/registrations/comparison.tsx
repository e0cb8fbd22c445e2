import type { ReactNode } from 'react';
import type { RegistrationDetails } from '#server/review/index.ts';
import { dollars } from '#app/lib/formatters.ts';
import { CopySign } from '#app/ui/copy-button.tsx';
import { ExactTime } from '#app/ui/moment.tsx';
import { Tick } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import styles from './comparison.module.css';

/** What was registered beside what an import says was paid: two columns only where they differ. */
export function Comparison({ registration }: { registration: RegistrationDetails }) {
  const { note, feeUsd, cashConfirm, payment } = registration;
  const [paid, ...more] = payment.payments;
  return (
    <>
      <div className={styles.comparison}>
        <span />
        <span className={styles.head}>Registration</span>
        <span className={styles.head}>
          {paid ? (
            <>
              Bank row, <ExactTime at={paid.paidAt} precision="date" />
            </>
          ) : (
            'Not in an import yet'
          )}
        </span>
        <Line
          term="Amount"
          registered={dollars(feeUsd)}
          paid={paid && dollars(paid.amountUsd)}
          same={paid?.amountUsd === feeUsd}
        />
        <Line
          term="Note"
          registered={
            <>
              <code>{note}</code> <CopySign text={note} label="Copy the payment note" />
            </>
          }
          paid={paid && <code>{paid.note.trim()}</code>}
          same={paid?.note.trim().toUpperCase() === note.toUpperCase()}
        />
        <Line
          term="Text"
          registered={cashConfirm ?? <span className={text.secondary}>none</span>}
          paid={paid && cashConfirm !== null && <code>{paid.id}</code>}
          same={paid !== undefined && cashConfirm !== null && names(cashConfirm, paid.id)}
        />
      </div>
      {more.length > 0 && (
        <ul className={styles.more} aria-label="Payments with this note">
          {payment.payments.map(({ id, paidAt, amountUsd }) => (
            <li key={id}>
              {dollars(amountUsd)}, <ExactTime at={paidAt} />, <code>{id}</code>
            </li>
          ))}
        </ul>
      )}
      {payment.named.map((named) => (
        <p key={named.id} className={text.remark}>
          It names a payment of {dollars(named.amountUsd)} on{' '}
          <ExactTime at={named.paidAt} precision="date" /> with{' '}
          {named.note === '' ? 'no note' : `the note “${named.note}”`}.
        </p>
      ))}
    </>
  );
}

/** As the app shows an id (`#D-9F2K11`), and as its export has it (`D9F2K11`). */
const names = (written: string, id: string) => letters(written).includes(letters(id));
const letters = (some: string) => some.toUpperCase().replace(/[^A-Z0-9]/g, '');

interface LineProps {
  term: string;
  registered: ReactNode;
  /** Nothing: there is nothing to compare with. */
  paid: ReactNode;
  same: boolean;
}

function Line({ term, registered, paid, same }: LineProps) {
  const compared = paid !== undefined && paid !== false;
  return (
    <>
      <span className={styles.term}>{term}</span>
      <span className={compared && !same ? undefined : styles.both}>
        {registered}
        {same && (
          <span className={styles.same}>
            <Tick /> same in both
          </span>
        )}
      </span>
      {compared && !same && <mark>{paid}</mark>}
    </>
  );
}
