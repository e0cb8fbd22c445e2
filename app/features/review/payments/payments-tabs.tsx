import { Link } from '@remix-run/react';
import { PAYMENT_TABS, paymentsHref, type PaymentTab } from '#server/payments/payments.schema.ts';
import { count } from '#app/lib/formatters.ts';
import styles from './payments-tabs.module.css';

const NAMES: Record<PaymentTab, string> = {
  accept: 'To accept',
  look: 'Needs a look',
  imports: 'Imports',
};

/** Links, so that they work without scripts, with Back and after a reload. */
export function PaymentsTabs({
  current,
  counts,
}: {
  current: PaymentTab;
  counts: Partial<Record<PaymentTab, number>>;
}) {
  return (
    <nav aria-label="Payments">
      <ul className={styles.tabs}>
        {PAYMENT_TABS.map((tab) => (
          <li key={tab}>
            <Link
              className={styles.tab}
              to={paymentsHref(tab)}
              aria-current={tab === current ? 'page' : undefined}
              preventScrollReset
            >
              {NAMES[tab]}
              {counts[tab] !== undefined && (
                <>
                  {' '}
                  <span className={styles.count}>{count(counts[tab])}</span>
                </>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
