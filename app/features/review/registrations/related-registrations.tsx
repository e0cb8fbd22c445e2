import { Link } from '@remix-run/react';
import type { RegistrationDetails } from '#server/review/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count } from '#app/lib/formatters.ts';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { RegistrationStatus } from '../row-parts.tsx';
import parts from '../parts.module.css';
import styles from './related-registrations.module.css';

/** Other registrations of the same node and name, and those that a payment may be for as well. */
export function RelatedRegistrations({ registration }: { registration: RegistrationDetails }) {
  const { payment, samePayment, sameConfirmation, sameNode, sameName } = registration;
  return (
    <div className={styles.lists}>
      {payment.named.length > 0 && (
        <List title="Other registrations for this payment" {...samePayment} />
      )}
      {sameConfirmation.total > 0 && (
        <List title="Other registrations with this confirmation text" {...sameConfirmation} />
      )}
      <List title="Other registrations for this node" {...sameNode} />
      <List title="Other registrations for this name" {...sameName} />
    </div>
  );
}

function List({ title, rows, total }: RegistrationDetails['sameNode'] & { title: string }) {
  return (
    <section>
      <h3>{title}</h3>
      {total === 0 ? (
        <p className={text.secondary}>None</p>
      ) : (
        <ul>
          {rows.map(({ note, name, status, decidedBy, updatedAt }) => (
            <li key={note} className={parts.wrapped}>
              <Link to={hrefs.review.registration(note)}>{name}</Link>
              <RegistrationStatus {...{ status, decidedBy }} />
              <span className={text.secondary}>
                <RelativeTime at={updatedAt} />
              </span>
            </li>
          ))}
          {total > rows.length && (
            <li className={text.secondary}>and {count(total - rows.length)} older</li>
          )}
        </ul>
      )}
    </section>
  );
}
