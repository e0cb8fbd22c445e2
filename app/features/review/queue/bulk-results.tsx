import { Link } from '@remix-run/react';
import type { RejectedTogether } from '#server/review/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count } from '#app/lib/formatters.ts';
import card from '#app/ui/card.module.css';
import { registrations } from '../labels.ts';
import { useFocusOnAnswer } from '../use-focus-on-answer.ts';
import styles from './bulk-results.module.css';

/** What has become of the registrations that were to be rejected together. Takes the focus from the form, which is gone. */
export function BulkResults({ results }: { results: RejectedTogether }) {
  const { notes, reason, leftOut } = results;
  const heading = useFocusOnAnswer(results);
  return (
    <section className={card.padded} aria-labelledby="rejected-together">
      <h2 id="rejected-together" ref={heading} tabIndex={-1}>
        {notes.length === 0 ? 'Nothing was rejected' : `Rejected ${registrations(notes.length)}`}
        {notes.length > 0 && leftOut.length > 0 && `, ${count(leftOut.length)} left out`}
      </h2>
      {notes.length > 0 && <p className={styles.reason}>“{reason}”</p>}
      {leftOut.length > 0 && (
        <ul className={styles.leftOut} aria-label="Left out">
          {leftOut.map(({ note, name, why }) => (
            <li key={note}>
              {name === null ? (
                <code>{note}</code>
              ) : (
                <Link className={styles.name} to={hrefs.review.registration(note)}>
                  {name}
                </Link>
              )}{' '}
              {why}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
