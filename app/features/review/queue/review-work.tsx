import { useNavigation } from '@remix-run/react';
import { useEffect, useRef, useState } from 'react';
import { REASON_MAX } from '@mesh-registry/protocol/values.schema.ts';
import type { RegistrationDetails } from '#server/review/index.ts';
import { formErrorOf, type FormError } from '#app/lib/form-error.ts';
import button from '#app/ui/button.module.css';
import { ActionForm, FormField } from '#app/ui/form.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { ReviewerName } from '../row-parts.tsx';
import styles from './questions.module.css';

/** What reviewers note for themselves: who sees to a registration, and a remark on it. */

interface ReviewWorkProps {
  registration: RegistrationDetails;
  /** Where the forms go. */
  action: string;
  /** Of one of the forms. */
  problem: FormError | undefined;
}

/** Whether a message is about one of the forms that stand here, which then shows it. */
export const isOfWork = (problem: FormError | undefined): boolean =>
  problem?.values['intent'] === 'assign' || problem?.values['intent'] === 'remark';

export function ReviewWork({ me, ...props }: ReviewWorkProps & { me: string }) {
  const { registration, problem } = props;
  return (
    <section className={styles.questions} aria-labelledby="remark">
      {registration.status === 'pending_review' && (
        <Assignment {...props} me={me} problem={formErrorOf(problem, { intent: 'assign' })} />
      )}
      <div className={styles.head}>
        <h3 id="remark">Private remark</h3>
        <span className={text.secondary}>Only reviewers see it</span>
      </div>
      <Remark {...props} problem={formErrorOf(problem, { intent: 'remark' })} />
    </section>
  );
}

/** One form, so that its button keeps the focus. */
function Assignment({ registration, action, problem, me }: ReviewWorkProps & { me: string }) {
  const { note, assignee } = registration;
  return (
    <div className={styles.assigned}>
      <p>
        {assignee === null ? (
          'Assigned to nobody'
        ) : (
          <>
            Assigned to <ReviewerName email={assignee} />
          </>
        )}
      </p>
      <ActionForm
        intent="assign"
        action={action}
        preventScrollReset
        problem={problem}
        submitLabel={assignee === me ? 'Unassign' : 'Assign to me'}
      >
        <input type="hidden" name="note" value={note} />
        <input type="hidden" name="to" value={assignee === me ? '' : me} />
      </ActionForm>
    </div>
  );
}

/** The remark, and below it the form that replaces it. */
function Remark({ registration, action, problem }: ReviewWorkProps) {
  const { note, remark } = registration;
  const [open, setOpen] = useState(problem !== undefined);
  // What the reviewer saw when the form was opened or refused: another one may write meanwhile.
  const [seen, setSeen] = useState(remark);
  const summary = useRef<HTMLElement>(null);
  const saving = useNavigation().formData?.get('intent') === 'remark';
  const [wasSaving, setWasSaving] = useState(saving);
  if (saving !== wasSaving) {
    setWasSaving(saving);
    if (!saving) {
      setSeen(remark);
      if (!problem) setOpen(false);
    }
  }
  const sent = useRef(false);
  useEffect(() => {
    // The button that had the focus is folded away.
    if (sent.current && !saving && !problem) summary.current?.focus();
    sent.current = saving;
  }, [saving, problem]);
  return (
    <>
      {remark && (
        <p className={styles.remark}>
          {remark.text}{' '}
          <span className={text.secondary}>
            <ReviewerName email={remark.by} />, <RelativeTime at={remark.at} />
          </span>
        </p>
      )}
      <details
        open={open}
        onToggle={({ currentTarget }) => {
          if (currentTarget.open === open) return;
          setOpen(currentTarget.open);
          setSeen(remark);
        }}
      >
        <summary className={`${button.link} ${styles.write}`} ref={summary}>
          {remark ? 'Change the remark' : 'Write a remark'}
        </summary>
        <ActionForm
          intent="remark"
          action={action}
          preventScrollReset
          problem={problem}
          submitLabel="Save"
          className={styles.form}
        >
          <input type="hidden" name="note" value={note} />
          <input type="hidden" name="seen" value={(open ? seen : remark)?.at ?? ''} />
          <FormField label="Remark" name="text">
            {(control) => (
              <textarea
                {...control}
                rows={2}
                maxLength={REASON_MAX}
                defaultValue={control.defaultValue ?? remark?.text}
              />
            )}
          </FormField>
        </ActionForm>
      </details>
    </>
  );
}
