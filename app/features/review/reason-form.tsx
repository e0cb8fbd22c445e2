import { REASON_MAX } from '#server/review/reasons.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm, TextField } from '#app/ui/form.tsx';

interface WhyFormProps {
  /** What it does, as its link and its button say. */
  does: string;
  /** To which row. */
  to: string;
  intent: string;
  /** The field that says which row it is. */
  name: string;
  /** Of the form of this row. */
  problem: FormError | undefined;
}

/** What is done to a row of a list, and must be said why: a link that opens the form. */
export function WhyForm({ does, to, intent, name, problem }: WhyFormProps) {
  return (
    <details className="why-form" open={problem !== undefined || undefined}>
      <summary className="link">
        {does}
        <span className="visually-hidden">: {to}</span>
      </summary>
      <ActionForm intent={intent} problem={problem} submitLabel={does}>
        <input type="hidden" name={name} value={to} />
        <TextField
          label="Why"
          name="reason"
          hint="Reviewers see it."
          maxLength={REASON_MAX}
          required
        />
      </ActionForm>
    </details>
  );
}
