import { Link } from '@remix-run/react';
import type { MatchedPayment } from '#server/payments/index.ts';
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
import chips from '#app/ui/chips.module.css';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { ExactTime, RelativeTime } from '#app/ui/moment.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { SearchForm } from '#app/ui/search-field.tsx';
import text from '#app/ui/text.module.css';
import { MATCH_LABEL } from './labels.ts';
import { MatchState, MatchedRegistration } from './payment-match.tsx';
import filters from '../list-filters.module.css';
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
      <div className={filters.filters}>
        <SearchForm
          action={hrefs.review.payments()}
          label="Search note, transaction ID or amount"
          value={query.q}
          maxLength={PAYMENT_SEARCH_MAX}
          keep={{ tab, state: query.matchState }}
          href={(q) => href({ q })}
        />
        <ul className={chips.chips} aria-label="State">
          {([null, ...states] as const).map((state) => (
            <li key={state}>
              <Link
                className={chips.chip}
                to={href({ matchState: state })}
                preventScrollReset
                aria-current={query.matchState === state ? 'true' : undefined}
              >
                {state ? MATCH_LABEL[state].word : 'all'}{' '}
                <span className={chips.count}>{count(state ? counts[state] : all)}</span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
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
        {!id.startsWith(DERIVED_ID_PREFIX) && (
          <code className={`${text.secondary} ${styles.line}`}>{id}</code>
        )}
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
  { head: 'State', cell: (payment) => <MatchState payment={payment} /> },
  { head: 'Registration', cell: (payment) => <MatchedRegistration payment={payment} /> },
];
