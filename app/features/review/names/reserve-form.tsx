import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm, TextField } from '#app/ui/form.tsx';
import { ReasonField } from '../reason-form.tsx';

/** Reserves a name, indefinitely or until a day. */
export function ReserveForm({ problem }: { problem: FormError | undefined }) {
  return (
    <ActionForm intent="reserve" problem={problem} submitLabel="Reserve" look="primary">
      <TextField
        label="Name"
        name="name"
        maxLength={32}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <ReasonField />
      <TextField
        label="Last day (UTC)"
        name="until"
        hint="Leave empty for no end date."
        type="date"
      />
    </ActionForm>
  );
}
