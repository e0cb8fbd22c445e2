import type { RefObject } from 'react';
import type { RegistrationDetails } from '#server/review/index.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm } from '#app/ui/form.tsx';
import text from '#app/ui/text.module.css';
import { DECIDING } from '../labels.ts';
import { EffectiveIn } from '../moments.tsx';
import { ReviewerName } from '../reviewer-name.tsx';
import styles from './decision-form.module.css';
import { endingOf } from './possible-decisions.ts';
import type { RejectFormHandle } from './reason-fields.tsx';
import { RejectForm } from './reject-form.tsx';
import { ShortcutKey } from './shortcut-key.tsx';

interface DecisionFormProps {
  registration: RegistrationDetails;
  /** Where the forms go. */
  action: string;
  /** The reviewer's own address. */
  me: string;
  /** Of the form that rejects or revokes. */
  problem: FormError | undefined;
  rejectForm: RefObject<RejectFormHandle>;
}

/**
 * Accepts, rejects or revokes a registration. The forms stay while a decision can still be undone, so that a
 * reason being written isn't lost.
 */
export function DecisionForm({ registration, action, me, problem, rejectForm }: DecisionFormProps) {
  const { note, name, status, rev, decision } = registration;
  const ending = endingOf(status);
  if (ending === null) return null;
  const decided = decision !== null;
  return (
    <div className={styles.decision}>
      <p className={decision ? text.notice : styles.silent}>
        <span role="status">
          {decision &&
            (decision.by === me ? (
              `${DECIDING[decision.decision]} this`
            ) : (
              <>
                <ReviewerName email={decision.by} /> is {DECIDING[decision.decision].toLowerCase()}{' '}
                this
              </>
            ))}
        </span>
        {decision && (
          <>
            {' '}
            <EffectiveIn at={decision.effectiveAt} />
            {decision.reason && `: “${decision.reason}”`}
          </>
        )}
      </p>
      {status === 'pending_review' && (
        <ActionForm
          intent="accept"
          action={action}
          preventScrollReset
          problem={undefined}
          look="primary"
          blocked={decided}
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
        blocked={decided}
        {...{ ending, note, name, rev, action, problem }}
      />
    </div>
  );
}
