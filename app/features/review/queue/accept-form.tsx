import { useImperativeHandle, useRef, useState, type RefObject } from 'react';
import { REASON_MAX } from '@mesh-registry/protocol/values.schema.ts';
import type { RegistrationDetails } from '#server/review/index.ts';
import type { FormError } from '#app/lib/form-error.ts';
import button from '#app/ui/button.module.css';
import { ActionForm, TextField } from '#app/ui/form.tsx';
import { ShortcutKey } from '#app/ui/shortcut-setting.tsx';
import styles from './decision-form.module.css';

interface AcceptFormProps {
  registration: RegistrationDetails;
  /** Where the form goes. */
  action: string;
  /** Of this form. */
  problem: FormError | undefined;
  handle: RefObject<AcceptFormHandle>;
}

/** For the keyboard shortcut. */
export interface AcceptFormHandle {
  /** Opens the form and focuses the field of its reason. */
  open(): void;
}

/** Accepts a registration: at once where an import has its payment, else with a reason. */
export function AcceptForm({ registration, action, problem, handle }: AcceptFormProps) {
  const { note, noticesThatAsk } = registration;
  const asks = noticesThatAsk.length > 0;
  if (!isPaid(registration))
    return <AcceptWithoutPayment {...{ registration, action, problem, handle }} />;
  return (
    <ActionForm
      intent="accept"
      action={action}
      preventScrollReset
      problem={undefined}
      look="primary"
      className={`${styles.accept} ${asks ? styles.asking : ''}`}
      submitLabel={
        <>
          Accept <ShortcutKey>a</ShortcutKey>
        </>
      }
    >
      <input type="hidden" name="note" value={note} />
      {asks && <Despite notices={noticesThatAsk} />}
    </ActionForm>
  );
}

/** Whether one payment in an import has the note and the amount: then a registration is accepted at once. */
export const isPaid = ({ payment }: Pick<RegistrationDetails, 'payment'>): boolean =>
  payment.state === 'found';

/** Nobody is accepted unpaid by one press: this one opens the form, and asks for the reason. */
function AcceptWithoutPayment({ registration, action, problem, handle }: AcceptFormProps) {
  const { note, name, noticesThatAsk } = registration;
  const [open, setOpen] = useState(problem !== undefined);
  const [shownProblem, setShownProblem] = useState(problem);
  if (problem !== shownProblem) {
    setShownProblem(problem);
    if (problem) setOpen(true);
  }
  const details = useRef<HTMLDetailsElement>(null);
  useImperativeHandle(handle, () => ({
    open() {
      if (!details.current) return;
      details.current.open = true;
      details.current.scrollIntoView({ block: 'nearest' });
      details.current.querySelector<HTMLInputElement>('[name=reason]')?.focus();
    },
  }));
  return (
    <details
      ref={details}
      className={styles.details}
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className={`${button.button} ${styles.summary}`}>
        Accept without payment… <ShortcutKey>a</ShortcutKey>
      </summary>
      <ActionForm
        intent="accept"
        action={action}
        preventScrollReset
        problem={problem}
        keepValues
        className={styles.opened}
        submitLabel={`Accept ${name} without payment`}
      >
        <input type="hidden" name="note" value={note} />
        {noticesThatAsk.length > 0 && <Despite notices={noticesThatAsk} />}
        <TextField
          label="Why accept it without a matching payment?"
          name="reason"
          hint="Only reviewers can see it."
          maxLength={REASON_MAX}
          autoComplete="off"
          required
        />
      </ActionForm>
    </details>
  );
}

const DESPITE = 'despite-notices';

/** Asks before a registration is accepted that keys speak against. */
const Despite = ({ notices }: { notices: string[] }) => (
  <label className={styles.despite}>
    <input id={DESPITE} type="checkbox" name="despiteNotices" value="true" required />
    <span>
      I have checked this, and accept nevertheless: <em>{notices.join(' ')}</em>
    </span>
  </label>
);

/** For shortcuts: the box in which the reviewer accepts despite notices; null if the page asks for no tick. */
export function despiteBox(): HTMLInputElement | null {
  const box = document.getElementById(DESPITE);
  return box instanceof HTMLInputElement ? box : null;
}
