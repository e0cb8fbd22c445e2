import { REASON_MAX } from '@mesh-registry/protocol/values.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm, TextField } from '#app/ui/form.tsx';
import { RowAction } from './row-action.tsx';

interface ReasonFormProps {
  /** What it does: the text of its link and of its button. */
  label: string;
  /** The row it is about: the value of the form's hidden field. */
  subject: string;
  /** The name of that hidden field. */
  subjectField: string;
  intent: string;
  /** Of the form of this row. */
  problem: FormError | undefined;
}

/** An action on a table's row that needs a reason: a link that opens the form. */
export function ReasonForm({ label, subject, subjectField, intent, problem }: ReasonFormProps) {
  return (
    <RowAction label={label} subject={subject} open={problem !== undefined}>
      <ActionForm intent={intent} problem={problem} submitLabel={label}>
        <input type="hidden" name={subjectField} value={subject} />
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
