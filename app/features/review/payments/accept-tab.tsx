import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import type { Outcome } from '#server/review/index.ts';
import { paymentsHref } from '#server/payments/payments.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { count } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import card from '#app/ui/card.module.css';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { FormAlert, useFocusOnAnswer } from '#app/ui/form.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { ReviewerName } from '../row-parts.tsx';
import { AcceptForm, type Ticked } from './accept-form.tsx';
import parts from '../parts.module.css';
import styles from './accept-tab.module.css';
import { LEFT_OUT, whyNotAccepted } from './labels.ts';
import type { PaidAndWaiting } from './payments.server.ts';

interface AcceptTabProps {
  waiting: PaidAndWaiting;
  outcomes: Outcome[];
  /** The visit of this page that sent the form; null if it was sent before the page was opened. */
  sentFrom: string | null;
  ticked: Ticked;
  problem: FormError | undefined;
}

/** Registrations to accept in bulk, and those that have to be decided one by one. */
export function AcceptTab({ waiting, outcomes, sentFrom, ticked, problem }: AcceptTabProps) {
  const { rows, total, leftOut } = waiting;
  return (
    <>
      {outcomes.length > 0 && <AcceptResults {...{ outcomes, sentFrom }} />}
      {total === 0 ? (
        <EmptyTab title="Nothing to accept">
          <FormAlert problem={problem} />
          <p>
            Registrations appear here once their payment is imported.{' '}
            <Link to={paymentsHref('imports')}>Import payments</Link>
          </p>
        </EmptyTab>
      ) : (
        <section className={card.padded} aria-labelledby="to-accept">
          <h2 id="to-accept">Paid and waiting for review</h2>
          <p className={`${text.secondary} ${styles.intro}`}>
            {total > rows.length && (
              <>
                The oldest {count(rows.length)} of {count(total)}.{' '}
              </>
            )}
            Untick anything doubtful, then accept the rest. This takes effect at once.
          </p>
          <AcceptForm {...{ rows, ticked, problem }} />
        </section>
      )}
      {leftOut.length > 0 && (
        <Panel title={`Left out: ${count(leftOut.length)}`}>
          <DataTable
            inCard
            caption="Paid registrations to decide one by one"
            rows={leftOut}
            id={({ note }) => note}
            columns={LEFT_OUT_COLUMNS}
          />
        </Panel>
      )}
    </>
  );
}

const LEFT_OUT_COLUMNS: Column<PaidAndWaiting['leftOut'][number]>[] = [
  {
    head: 'Name',
    kind: 'name',
    cell: ({ name, note }) => <Link to={hrefs.review.registration(note)}>{name}</Link>,
  },
  { head: 'Payment note', kind: 'text', phone: 'full', cell: ({ note }) => <code>{note}</code> },
  { head: 'Reason', phone: 'full', cell: ({ why }) => LEFT_OUT[why] },
];

/** What a tab of the payments page shows when there is nothing to do. */
export function EmptyTab({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={`${card.padded} ${styles.empty}`}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** The registrations that were to be accepted. Takes the focus from the button, whose form has other rows now. */
function AcceptResults({ outcomes, sentFrom }: Pick<AcceptTabProps, 'outcomes' | 'sentFrom'>) {
  const heading = useFocusOnAnswer(sentFrom);
  return (
    <section className={card.padded} aria-labelledby="results">
      <h2 id="results" ref={heading} tabIndex={-1}>
        Results
      </h2>
      <div role="status">
        <ul className={parts.lines}>
          {outcomes.map((row) => (
            <li key={row.note}>
              <Link className={parts.subject} to={hrefs.review.registration(row.note)}>
                {row.name}
              </Link>{' '}
              <Result row={row} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

/** The current state of one of them: another reviewer may have decided it first. */
function Result({ row }: { row: Outcome }) {
  const { status, decidedBy, decidedAt, reason } = row;
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
          <Status status="idle" word="not accepted" />. {whyNotAccepted(row)}
        </>
      );
  }
}
