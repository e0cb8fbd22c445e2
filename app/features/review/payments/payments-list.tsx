import { Link } from '@remix-run/react';
import type { LikelyNote, MatchedPayment } from '#server/payments/index.ts';
import {
  DERIVED_ID_PREFIX,
  MATCH_STATES,
  PAYMENT_SEARCH_MAX,
  paymentsHref,
  type PaymentQuery,
  type PaymentTab,
} from '#server/payments/payments.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, dollars } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { ExactTime, RelativeTime } from '#app/ui/moment.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { DuplicateConfirmation } from '../row-parts.tsx';
import { MATCH_LABEL, matchLabel, matchRemarks } from './labels.ts';
import { ListFilters } from '../list-card.tsx';
import styles from './payments-list.module.css';
import type { PaymentsPage } from './payments.server.ts';

interface PaymentsListProps {
  title: string;
  tab: PaymentTab;
  query: PaymentQuery;
  list: PaymentsPage;
}

/** A list of payments, to be searched. */
export function PaymentsList({ title, tab, query, list }: PaymentsListProps) {
  const { all, counts, page, payments } = list;
  const searched = query.q !== '';
  const href = (change: Partial<PaymentQuery>) =>
    paymentsHref(tab, { ...query, page: 1, ...change });
  if (all === 0 && !searched)
    return (
      <>
        <h2 id="payments">No payments yet</h2>
        <p className={text.secondary}>
          Export the payment app’s activity as CSV and import it here. Bank statements work too: you
          choose their columns.
        </p>
      </>
    );
  // A state without payments is offered only if it is the chosen one.
  const states = MATCH_STATES.filter((state) => counts[state] > 0 || state === query.matchState);
  return (
    <>
      <h2 id="payments">
        {searched ? 'Matching payments' : title}: {count(all)}
      </h2>
      <ListFilters
        search={{
          action: hrefs.review.payments(),
          label: 'Search note, transaction ID or amount',
          value: query.q,
          maxLength: PAYMENT_SEARCH_MAX,
          keep: { tab, state: query.matchState },
          href: (q) => href({ q }),
        }}
        label="State"
        states={([null, ...states] as const).map((state) => ({
          word: state ? MATCH_LABEL[state].word : 'all',
          rows: state ? counts[state] : all,
          to: href({ matchState: state }),
          chosen: query.matchState === state,
        }))}
      />
      {payments.length === 0 ? (
        <p>
          No matching payments. <Link to={href({ q: '', matchState: null })}>Show all</Link>
        </p>
      ) : (
        <>
          <DataTable
            inCard
            caption="Payments, newest first"
            rows={payments}
            id={({ id }) => id}
            columns={COLUMNS}
          />
          <Pagination inCard page={page} href={(number) => href({ page: number })} />
        </>
      )}
    </>
  );
}

const COLUMNS: Column<MatchedPayment>[] = [
  {
    head: 'Note',
    kind: 'text',
    phone: 'title',
    cell: ({ id, note }) => (
      <>
        {note === '' ? <span className={text.secondary}>none</span> : note}
        {!id.startsWith(DERIVED_ID_PREFIX) && <code className={text.remark}>{id}</code>}
      </>
    ),
  },
  {
    head: 'Amount',
    kind: 'number',
    phone: 'aside',
    cell: ({ amountCents }) => dollars(amountCents / 100),
  },
  {
    head: 'Paid',
    kind: 'word',
    cell: ({ paidAt, future }) =>
      future ? (
        <ExactTime at={paidAt.toISOString()} precision="date" />
      ) : (
        <RelativeTime at={paidAt.toISOString()} />
      ),
  },
  { head: 'State', cell: (payment) => <MatchState {...payment} /> },
  { head: 'Registration', cell: (payment) => <MatchedRegistration {...payment} /> },
];

/** How a payment matches a registration, and what else to know before it is trusted. */
function MatchState(payment: MatchedPayment) {
  return (
    <ul className={styles.lines}>
      <li className={styles.state}>
        <Status {...matchLabel(payment)} />
      </li>
      {payment.future && (
        <li>
          <Status status="idle" word="dated in the future" />
        </li>
      )}
      {payment.duplicateConfirmation && (
        <li>
          <DuplicateConfirmation />
        </li>
      )}
      {matchRemarks(payment).map((remark) => (
        <li key={remark} className={text.secondary}>
          {remark}
        </li>
      ))}
    </ul>
  );
}

const LIKELY: Record<LikelyNote['by'], string> = {
  text: 'its confirmation text names this payment',
  note: 'its note is similar',
  name: 'its name is in the note',
};

/** The registration whose note the payment carries, and others that it may be for. */
function MatchedRegistration({ registration, likely }: MatchedPayment) {
  return (
    <ul className={styles.lines}>
      {registration && (
        <li>
          <Link to={hrefs.review.registration(registration.note)}>{registration.name}</Link>
        </li>
      )}
      {likely.map(({ note, name, by }) => (
        <li key={note}>
          <span className={text.secondary}>perhaps</span>{' '}
          <Link to={hrefs.review.registration(note)}>{name}</Link>{' '}
          <span className={text.secondary}>{LIKELY[by]}</span>
        </li>
      ))}
      {!registration && likely.length === 0 && (
        <li className={text.secondary}>no registration has this note</li>
      )}
    </ul>
  );
}
