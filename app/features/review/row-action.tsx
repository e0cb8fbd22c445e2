import type { KeyboardEvent, ReactNode } from 'react';
import { REASON_MAX } from '@mesh-registry/protocol/values.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import button from '#app/ui/button.module.css';
import { ActionForm, TextField } from '#app/ui/form.tsx';
import styles from './row-action.module.css';

interface RowActionProps {
  /** What it does: the text of its link. */
  label: string;
  /** The row it is about, for screen readers. */
  subject: string;
  /** Opens it, such as when its form was refused. */
  open?: boolean;
  children: ReactNode;
}

/** A link in a table's row that opens a small form over the list, so that no row moves. Works without scripts. */
function RowAction({ label, subject, open = false, children }: RowActionProps) {
  return (
    <details className={styles.details} open={open || undefined} onKeyDown={closeOnEscape}>
      <summary className={button.link}>
        {label}
        <span className="visually-hidden">: {subject}</span>
      </summary>
      <div className={styles.panel}>{children}</div>
    </details>
  );
}

function closeOnEscape({ key, currentTarget }: KeyboardEvent<HTMLDetailsElement>) {
  if (key !== 'Escape' || !currentTarget.open) return;
  currentTarget.open = false;
  currentTarget.querySelector('summary')?.focus();
}

interface ConfirmActionProps extends Pick<RowActionProps, 'label' | 'subject'> {
  intent: string;
  /** What will happen. */
  consequence: string;
  /** The text of the button that does it. */
  submitLabel: string;
}

/** An action on a table's row that is hard to undo: says what will happen before its button can be pressed. */
export function ConfirmAction({ intent, consequence, submitLabel, ...row }: ConfirmActionProps) {
  return (
    <RowAction {...row}>
      <p>{consequence}</p>
      <button className={`${button.danger} ${styles.submit}`} name="intent" value={intent}>
        {submitLabel}
      </button>
    </RowAction>
  );
}

interface ReasonFormProps {
  /** What it does: the text of its link and of its button. */
  label: string;
  /** The row it is about: the value of the form's hidden field. */
  subject: string;
  /** The name of that hidden field. */
  subjectField: string;
  /** Other hidden fields. */
  also?: Record<string, string>;
  intent: string;
  /** Of the form of this row. */
  problem: FormError | undefined;
}

/** An action on a table's row that needs a reason: a link that opens the form. */
export function ReasonForm({
  label,
  subject,
  subjectField,
  also = {},
  intent,
  problem,
}: ReasonFormProps) {
  return (
    <RowAction label={label} subject={subject} open={problem !== undefined}>
      <ActionForm intent={intent} problem={problem} submitLabel={label}>
        <input type="hidden" name={subjectField} value={subject} />
        {Object.entries(also).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <ReasonField />
      </ActionForm>
    </RowAction>
  );
}

/** Why something is done, for the history. */
export const ReasonField = () => (
  <TextField
    label="Reason"
    name="reason"
    hint="Only reviewers can see it."
    maxLength={REASON_MAX}
    required
  />
);
