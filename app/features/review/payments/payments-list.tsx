import { Link } from '@remix-run/react';
import {
  DERIVED_ID_PREFIX,
  MATCH_STATES,
  PAYMENT_SEARCH_MAX,
  paymentsHref,
  type MatchState,
  type PaymentQuery,
} from '#server/payments/payments.schema.ts';
import type { RegistrationStatus } from '#server/registration/values.schema.ts';
import type { LikelyNote } from '#server/payments/index.ts';
import { count, dollars } from '#app/lib/formatters.ts';
import { Status } from '#app/ui/status-icon.tsx';
import { Pagination, type Page } from '#app/ui/pagination.tsx';
import { SearchForm } from '#app/ui/search-form.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { MATCH_WORDS, matchWord, remarks } from './labels.ts';
import { DataTable } from '#app/ui/data-table.tsx';

export interface ShownPayment {
  id: string;
  paidAt: Date;
  amountCents: number;
  note: string;
  matchState: MatchState;
  registration: {
    name: string;
    note: string;
    status: RegistrationStatus;
    feeCents: number;
    payments: number;
  } | null;
  likely: LikelyNote[];
}

interface PaymentsListProps {
  /** That the search finds, in every state. */
  all: number;
  counts: Record<MatchState, number>;
  page: Page;
  payments: ShownPayment[];
  query: PaymentQuery;
}

/** Every payment that was imported, to be searched. */
export function PaymentsList({ all, counts, page, payments, query }: PaymentsListProps) {
  const href = (change: Partial<PaymentQuery>) => paymentsHref({ ...query, page: 1, ...change });
  const searched = query.q !== '';
  return (
    <section className="card" aria-labelledby="payments">
      <h2 id="payments">
        {all === 0 && !searched
          ? 'No payment yet'
          : `${searched ? 'Payments found' : 'All payments'}: ${count(all)}`}
      </h2>
      {all === 0 && !searched ? (
        <p>
          Export the activity of the payment app as CSV and import it here. Banks’ files work too:
          you then say where their columns are.
        </p>
      ) : (
        <>
          <div className="review-search">
            <SearchForm
              action="/review/payments"
              label="Search note, transaction id or amount"
              value={query.q}
              maxLength={PAYMENT_SEARCH_MAX}
              keep={{ state: query.matchState }}
              href={(q) => href({ q })}
            />
            <ul className="chips" aria-label="State">
              {([null, ...MATCH_STATES] as const).map((matchState) => (
                <li key={matchState}>
                  <Link
                    className="chip"
                    to={href({ matchState })}
                    preventScrollReset
                    aria-current={query.matchState === matchState ? 'true' : undefined}
                  >
                    {matchState ? MATCH_WORDS[matchState].word : 'all'}{' '}
                    {count(matchState ? counts[matchState] : all)}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
          {payments.length === 0 ? (
            <p>
              No payment fits. <Link to={href({ q: '', matchState: null })}>Show all</Link>
            </p>
          ) : (
            <>
              <Table payments={payments} />
              <Pagination inCard page={page} href={(number) => href({ page: number })} />
            </>
          )}
        </>
      )}
    </section>
  );
}

/** Payments, each beside the registration that its note names. */
function Table({ payments }: { payments: ShownPayment[] }) {
  return (
    <DataTable
      inCard
      caption="Payments, newest first"
      rows={payments}
      id={({ id }) => id}
      columns={[
        { head: 'Paid', cell: ({ paidAt }) => <RelativeTime at={paidAt.toISOString()} /> },
        {
          head: 'Amount',
          kind: 'number',
          cell: ({ amountCents }) => dollars(amountCents / 100),
        },
        {
          head: 'Note',
          kind: 'text',
          cell: ({ id, note }) => (
            <>
              {note === '' ? <span className="secondary">none</span> : note}
              {!id.startsWith(DERIVED_ID_PREFIX) && <code className="secondary remark">{id}</code>}
            </>
          ),
        },
        { head: 'State', cell: (payment) => <State payment={payment} /> },
        { head: 'Registration', cell: (payment) => <Named payment={payment} /> },
      ]}
    />
  );
}

function State({ payment }: { payment: ShownPayment }) {
  return (
    <>
      <Status status={MATCH_WORDS[payment.matchState].sign} word={matchWord(payment)} />
      {remarks(payment).map((remark) => (
        <span key={remark} className="secondary remark">
          {remark}
        </span>
      ))}
    </>
  );
}

const path = (note: string) => `/review/registrations/${encodeURIComponent(note)}`;

const LIKELY: Record<LikelyNote['by'], string> = {
  text: 'its confirmation text names this payment',
  note: 'nearly its note',
  name: 'its name is in the text',
};

function Named({ payment: { registration, likely } }: { payment: ShownPayment }) {
  const named = registration && <Link to={path(registration.note)}>{registration.name}</Link>;
  if (likely.length === 0)
    return named ?? <span className="secondary">no registration has this note</span>;
  return (
    <>
      {named}
      <ul className="records-likely">
        {likely.map(({ note, name, by }) => (
          <li key={note}>
            <span className="secondary">perhaps</span> <Link to={path(note)}>{name}</Link>{' '}
            <span className="secondary">{LIKELY[by]}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
