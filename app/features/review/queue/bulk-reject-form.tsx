import { useEffect, type RefObject } from 'react';
import { Link } from '@remix-run/react';
import type { RejectedTogether } from '#server/review/index.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { count } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import text from '#app/ui/text.module.css';
import { registrations } from '../labels.ts';
import { useFocusOnAnswer } from '#app/ui/form.tsx';
import parts from '../parts.module.css';
import styles from './bulk-reject-form.module.css';
import { RejectForm, type RejectFormHandle } from './reject-form.tsx';
import { ShortcutKey } from '#app/ui/shortcut-setting.tsx';
import { readSelectionValue, SELECTION_FORM, type Selection } from './use-selection.ts';

interface BulkRejectFormProps {
  selection: Selection;
  /** Where the form goes. */
  action: string;
  problem: FormError | undefined;
  handle: RefObject<RejectFormHandle>;
}

/** Names of selected registrations that are shown before they are rejected. */
const NAMES_SHOWN = 4;

/**
 * Rejects the selected registrations with one reason. With scripts it is there while any are selected; without them,
 * always.
 */
export function BulkRejectForm({ selection, action, problem, handle }: BulkRejectFormProps) {
  const { rows, add, clear } = selection;
  const hydrated = useHydrated();
  useEffect(() => {
    // What was ticked before the scripts loaded, and what a browser restores on reload.
    const ticked = document.querySelectorAll<HTMLInputElement>(
      `input[form="${SELECTION_FORM}"]:checked`,
    );
    add([...ticked].flatMap(({ value }) => readSelectionValue(value) ?? []));
  }, [add]);
  const none = rows.length === 0;
  // The next selection starts with the form closed.
  if (none && hydrated && !problem) return null;
  return (
    <section
      className={`${card.floating} ${styles.bar} ${none && !problem ? 'without-scripts' : ''}`}
      aria-label="Selected registrations"
    >
      <p className={`${styles.count} needs-scripts`} role="status">
        <strong>{count(rows.length)} selected</strong>
      </p>
      <button type="button" className={`${button.link} needs-scripts`} onClick={clear}>
        Clear<span className="visually-hidden"> selection</span>
      </button>
      <p className={`${styles.count} without-scripts`}>
        Tick registrations to reject them together.
      </p>
      <RejectForm
        id={SELECTION_FORM}
        intent={SELECTION_FORM}
        {...{ action, problem, handle }}
        className={`${styles.details}`}
        summary={
          <summary className={`${button.button} ${styles.summary}`}>
            <span className={styles.closedLabel}>
              Reject selected <ShortcutKey>r</ShortcutKey>
            </span>
            <span className={styles.openLabel}>Cancel</span>
          </summary>
        }
        submitLabel={
          <>
            <span className="without-scripts">Reject selected registrations</span>
            <span className="needs-scripts">Reject {registrations(rows.length)}</span>
          </>
        }
        reasonLabel="Reason shown to each operator"
      >
        <p className={`${text.secondary} needs-scripts`}>{namesOf(rows)}</p>
      </RejectForm>
    </section>
  );
}

/** "garage, attic and 3 more". */
function namesOf(rows: Selection['rows']): string {
  const names = rows.map(({ name }) => name);
  const hidden = names.length - NAMES_SHOWN;
  if (hidden > 1) return `${names.slice(0, NAMES_SHOWN).join(', ')} and ${count(hidden)} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

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
        <ul className={parts.lines} aria-label="Left out">
          {leftOut.map(({ note, name, why }) => (
            <li key={note}>
              {name === null ? (
                <code>{note}</code>
              ) : (
                <Link className={parts.subject} to={hrefs.review.registration(note)}>
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
