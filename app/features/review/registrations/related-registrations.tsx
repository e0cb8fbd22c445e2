import { Link } from '@remix-run/react';
import type { RegistrationDetails } from '#server/review/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, dollars } from '#app/lib/formatters.ts';
import { ExactTime, RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { RegistrationStatus } from '../row-parts.tsx';
import parts from '../parts.module.css';
import styles from './related-registrations.module.css';

/** Other registrations of the same node and name, and those that a payment may be for as well. */
export function RelatedRegistrations({ registration }: { registration: RegistrationDetails }) {
  const { earlier, later, payment, samePayment, sameConfirmation, sameNode, sameName } =
    registration;
  return (
    <div className={styles.lists}>
      {earlier && <Earlier earlier={earlier} />}
      {later.total > 0 && <List title="Later registrations that name this one" {...later} />}
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

/** The note that the operator may have paid with, and what came with it. */
function Earlier({ earlier }: { earlier: NonNullable<RegistrationDetails['earlier']> }) {
  return (
    <section>
      <h3>Earlier registration, as its operator says</h3>
      <ul>
        <Related {...earlier} />
        <li className={parts.wrapped}>
          <code>{earlier.note}</code>
          {earlier.payments.length === 0 && (
            <span className={text.secondary}>no payment in an import</span>
          )}
        </li>
        {earlier.payments.map(({ id, paidAt, amountUsd }) => (
          <li key={id}>
            {dollars(amountUsd)}, <ExactTime at={paidAt} />, <code>{id}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

const Related = ({
  note,
  name,
  status,
  decidedBy,
  updatedAt,
}: RegistrationDetails['sameNode']['rows'][number]) => (
  <li className={parts.wrapped}>
    <Link to={hrefs.review.registration(note)}>{name}</Link>
    <RegistrationStatus {...{ status, decidedBy }} />
    <span className={text.secondary}>
      <RelativeTime at={updatedAt} />
    </span>
  </li>
);

function List({ title, rows, total }: RegistrationDetails['sameNode'] & { title: string }) {
  return (
    <section>
      <h3>{title}</h3>
      {total === 0 ? (
        <p className={text.secondary}>None</p>
      ) : (
        <ul>
          {rows.map((related) => (
            <Related key={related.note} {...related} />
          ))}
          {total > rows.length && (
            <li className={text.secondary}>and {count(total - rows.length)} older</li>
          )}
        </ul>
      )}
    </section>
  );
}
