import { useEffect, type RefObject } from 'react';
import type { FormError } from '#app/lib/form-error.ts';
import { count } from '#app/lib/formatters.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import { ActionForm } from '#app/ui/form.tsx';
import text from '#app/ui/text.module.css';
import { registrations } from '../labels.ts';
import styles from './bulk-reject-form.module.css';
import { ReasonFields, useRejectForm, type RejectFormHandle } from './reason-fields.tsx';
import { ShortcutKey } from './shortcut-key.tsx';
import { readSelectionValue, SELECTION_FORM } from './selection-value.ts';
import type { Selection } from './use-selection.ts';

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
  const { open, setOpen, details, reasons } = useRejectForm(problem, handle);
  useEffect(() => {
    // What was ticked before the scripts loaded, and what a browser restores on reload.
    const ticked = document.querySelectorAll<HTMLInputElement>(
      `input[form="${SELECTION_FORM}"]:checked`,
    );
    add([...ticked].flatMap(({ value }) => readSelectionValue(value) ?? []));
  }, [add]);
  const none = rows.length === 0;
  // The next selection starts with the form closed.
  if (none && open && !problem) setOpen(false);
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
      <details
        ref={details}
        className={styles.details}
        open={open}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary className={`${button.button} ${styles.summary}`}>
          <span className={styles.closedLabel}>
            Reject selected <ShortcutKey>r</ShortcutKey>
          </span>
          <span className={styles.openLabel}>Cancel</span>
        </summary>
        <ActionForm
          id={SELECTION_FORM}
          intent={SELECTION_FORM}
          action={action}
          preventScrollReset
          problem={problem}
          look="danger"
          className={styles.form}
          submitLabel={
            <>
              <span className="without-scripts">Reject selected registrations</span>
              <span className="needs-scripts">Reject {registrations(rows.length)}</span>
            </>
          }
        >
          <p className={`${text.secondary} needs-scripts`}>{namesOf(rows)}</p>
          <ReasonFields
            label="Reason shown to each operator"
            chosen={problem?.values['phrase']}
            reasons={reasons}
          />
        </ActionForm>
      </details>
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
