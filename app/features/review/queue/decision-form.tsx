import type { RefObject } from 'react';
import type { RegistrationDetails } from '#server/review/index.ts';
import type { DecisionKind, RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import button from '#app/ui/button.module.css';
import { ActionForm } from '#app/ui/form.tsx';
import styles from './decision-form.module.css';
import { RejectForm, type RejectFormHandle } from './reject-form.tsx';
import { ShortcutKey } from '#app/ui/shortcut-setting.tsx';

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
  const { note, name, status, rev, noticesThatAsk } = registration;
  const ending = endingOf(status);
  if (ending === null) return null;
  const verb = ending === 'reject' ? 'Reject' : 'Revoke';
  return (
    <div className={styles.decision}>
      {status === 'pending_review' && (
        <ActionForm
          intent="accept"
          action={action}
          preventScrollReset
          problem={undefined}
          look="primary"
          className={`${styles.accept} ${noticesThatAsk.length > 0 ? styles.asking : ''}`}
          submitLabel={
            <>
              Accept <ShortcutKey>a</ShortcutKey>
            </>
          }
        >
          <input type="hidden" name="note" value={note} />
          {noticesThatAsk.length > 0 && <Despite notices={noticesThatAsk} />}
        </ActionForm>
      )}
      <RejectForm
        key={`${note} ${ending}`}
        handle={rejectForm}
        intent={ending}
        {...{ action, problem }}
        keepValues
        className={`${styles.details}`}
        summary={
          <summary className={`${button.danger} ${styles.summary}`}>
            {verb} <ShortcutKey>r</ShortcutKey>
          </summary>
        }
        submitLabel={`${verb} ${name}`}
        reasonLabel="Reason shown to the operator"
      >
        <input type="hidden" name="note" value={note} />
        {/* The version of the registration that the reviewer sees. */}
        <input type="hidden" name="rev" value={rev} />
      </RejectForm>
    </div>
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

export type Decidable = Pick<RegistrationDetails, 'note' | 'status' | 'noticesThatAsk'>;

/** The decision that ends a registration of each status. */
const ENDING: Record<RegistrationStatus, 'reject' | 'revoke' | null> = {
  pending_payment: 'reject',
  pending_review: 'reject',
  active: 'revoke',
  rejected: null,
};

export const endingOf = (status: RegistrationStatus) => ENDING[status];

/** What a reviewer can decide now. */
export function possibleDecisions({ status }: Pick<Decidable, 'status'>): readonly DecisionKind[] {
  const ending = endingOf(status);
  return [
    ...(status === 'pending_review' ? (['accept'] as const) : []),
    ...(ending ? [ending] : []),
  ];
}
