import { useLoaderData, useLocation } from '@remix-run/react';
import { useState } from 'react';
import { PAYMENT_TABS, paymentsHref, type PaymentTab } from '#server/payments/payments.schema.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { count } from '#app/lib/formatters.ts';
import card from '#app/ui/card.module.css';
import { ReviewPage } from '../review-page.tsx';
import { AcceptTab, EmptyTab, useTicked } from './accept-tab.tsx';
import { ImportsTab } from './imports-tab.tsx';
import { PaymentsList } from './payments-list.tsx';
import { Segmented } from '#app/ui/segmented.tsx';
import styles from './payments-page.module.css';
import type { loadPayments, paymentsAction } from './payments.server.ts';

/** Payments: accept what is paid, look at what doesn't match, import exports. */
export function PaymentsPage() {
  const { tab, query, waiting, needLook, list, outcomes, pastImports, updatedAt } =
    useLoaderData<typeof loadPayments>();
  const answer = useFormResult<typeof paymentsAction>('');
  // Sending a form is a visit with a key of its own, and a refresh is not.
  const { key } = useLocation();
  const [opened] = useState(key);
  const ticked = useTicked(tab === 'accept' ? waiting.rows.map(({ note }) => note) : []);
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title="Payments"
      intro="Each imported payment, matched to a registration by its note. Nothing is accepted automatically."
    >
      <PaymentsTabs current={tab} counts={{ accept: waiting.total, look: needLook }} />
      {tab === 'accept' && (
        <AcceptTab
          waiting={waiting}
          outcomes={answer ? [] : outcomes}
          sentFrom={key === opened ? null : key}
          ticked={ticked}
          problem={formErrorOf(answer)}
        />
      )}
      {tab === 'look' &&
        list &&
        (needLook === 0 ? (
          <EmptyTab title="Nothing needs a look">
            <p>
              Payments appear here if they match no registration, or can’t be accepted in bulk for
              another reason.
            </p>
          </EmptyTab>
        ) : (
          <section className={card.padded} aria-labelledby="payments">
            <PaymentsList title="Payments that need a look" {...{ tab, query, list }} />
          </section>
        ))}
      {tab === 'imports' && list && (
        <ImportsTab {...{ answer, query, list, pastImports, needLook }} toAccept={waiting.total} />
      )}
    </ReviewPage>
  );
}

const NAMES: Record<PaymentTab, string> = {
  accept: 'To accept',
  look: 'Needs a look',
  imports: 'Imports',
};

interface PaymentsTabsProps {
  current: PaymentTab;
  counts: Partial<Record<PaymentTab, number>>;
}

const PaymentsTabs = ({ current, counts }: PaymentsTabsProps) => (
  <Segmented
    label="Payments"
    segments={PAYMENT_TABS.map((tab) => ({
      to: paymentsHref(tab),
      chosen: tab === current,
      text: (
        <>
          {NAMES[tab]}
          {counts[tab] !== undefined && (
            <>
              {' '}
              <span className={styles.count}>{count(counts[tab])}</span>
            </>
          )}
        </>
      ),
    }))}
  />
);
