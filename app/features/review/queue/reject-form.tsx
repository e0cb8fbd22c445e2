import type { RefObject } from 'react';
import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm } from '#app/ui/form.tsx';
import button from '#app/ui/button.module.css';
import { ReasonFields, useRejectForm, type RejectFormHandle } from './reason-fields.tsx';
import styles from './reject-form.module.css';
import { ShortcutKey } from './shortcut-key.tsx';

interface RejectFormProps {
  ending: 'reject' | 'revoke';
  note: string;
  name: string;
  /** The version of the registration that the reviewer sees. */
  rev: number;
  /** Where the form goes. */
  action: string;
  problem: FormError | undefined;
  handle: RefObject<RejectFormHandle>;
}

/** Rejects a registration or revokes an active one, with a reason. */
export function RejectForm(props: RejectFormProps) {
  const { ending, note, name, rev, action, problem, handle } = props;
  const { open, setOpen, details, reasons } = useRejectForm(problem, handle);

  const verb = ending === 'reject' ? 'Reject' : 'Revoke';
  return (
    <details
      ref={details}
      className={styles.details}
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className={`${button.danger} ${styles.summary}`}>
        {verb} <ShortcutKey>r</ShortcutKey>
      </summary>
      <ActionForm
        intent={ending}
        action={action}
        preventScrollReset
        problem={problem}
        look="danger"
        keepValues
        className={styles.form}
        submitLabel={`${verb} ${name}`}
      >
        <input type="hidden" name="note" value={note} />
        <input type="hidden" name="rev" value={rev} />
        <ReasonFields
          label="Reason shown to the operator"
          chosen={problem?.values['phrase']}
          reasons={reasons}
        />
      </ActionForm>
    </details>
  );
}
