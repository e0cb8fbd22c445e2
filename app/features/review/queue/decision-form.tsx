import type { RefObject } from 'react';
import type { RegistrationDetails } from '#server/review/index.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm } from '#app/ui/form.tsx';
import styles from './decision-form.module.css';
import { endingOf } from './possible-decisions.ts';
import type { RejectFormHandle } from './reason-fields.tsx';
import { RejectForm } from './reject-form.tsx';
import { ShortcutKey } from './shortcut-key.tsx';

interface DecisionFormProps {
  registration: RegistrationDetails;
  /** Where the forms go. */
  action: string;
  /** Of the form that rejects or revokes. */
  problem: FormError | undefined;
  rejectForm: RefObject<RejectFormHandle>;
}

/** Accepts, rejects or revokes a registration. */
export function DecisionForm({ registration, action, problem, rejectForm }: DecisionFormProps) {
  const { note, name, status, rev } = registration;
  const ending = endingOf(status);
  if (ending === null) return null;
  return (
    <div className={styles.decision}>
      {status === 'pending_review' && (
        <ActionForm
          intent="accept"
          action={action}
          preventScrollReset
          problem={undefined}
          look="primary"
          className={styles.accept}
          submitLabel={
            <>
              Accept <ShortcutKey>a</ShortcutKey>
            </>
          }
        >
          <input type="hidden" name="note" value={note} />
        </ActionForm>
      )}
      <RejectForm
        key={`${note} ${ending}`}
        handle={rejectForm}
        {...{ ending, note, name, rev, action, problem }}
      />
    </div>
  );
}
