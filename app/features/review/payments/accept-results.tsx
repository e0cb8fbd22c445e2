import { Link } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import type { Outcome } from '#server/review/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import card from '#app/ui/card.module.css';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import { ReviewerName } from '../row-parts.tsx';
import styles from './accept-results.module.css';
import { whyNotAccepted } from './labels.ts';

/** The registrations that were to be accepted. Takes the focus from the button, whose form has other rows now. */
export function AcceptResults({
  rows,
  sentFrom,
}: {
  rows: Outcome[];
  /** The visit of this page that sent the form; null if it was sent before the page was opened. */
  sentFrom: string | null;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (sentFrom !== null) heading.current?.focus();
  }, [sentFrom]);
  return (
    <section className={card.padded} aria-labelledby="results">
      <h2 id="results" ref={heading} tabIndex={-1}>
        Results
      </h2>
      <div role="status">
        <ul className={styles.results}>
          {rows.map((row) => (
            <li key={row.note}>
              <Link className={styles.name} to={hrefs.review.registration(row.note)}>
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
