import { Link } from '@remix-run/react';
import type { LikelyNote, MatchedPayment } from '#server/payments/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { DuplicateConfirmation } from '../row-parts.tsx';
import { matchLabel, matchRemarks } from './labels.ts';
import styles from './payment-match.module.css';

/** How a payment matches a registration, and what else to know before it is trusted. */
export function MatchState({ payment }: { payment: MatchedPayment }) {
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
export function MatchedRegistration({
  payment: { registration, likely },
}: {
  payment: MatchedPayment;
}) {
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
