import { useRef, type RefObject } from 'react';
import type { RegistrationDetails } from '#server/review/index.ts';
import type { DecisionKind, RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import { formErrorOf, type FormError } from '#app/lib/form-error.ts';
import button from '#app/ui/button.module.css';
import styles from './decision-form.module.css';
import { AcceptForm, isPaid, type AcceptFormHandle } from './accept-form.tsx';
import { RejectForm, type RejectFormHandle } from './reject-form.tsx';
import { ShortcutKey } from '#app/ui/shortcut-setting.tsx';

interface DecisionFormProps {
  registration: RegistrationDetails;
  /** Where the forms go. */
  action: string;
  /** Of one of the forms. */
  problem: FormError | undefined;
  forms: DecisionForms;
}

/** For shortcuts: the forms that open. */
export interface DecisionForms {
  accept: RefObject<AcceptFormHandle>;
  /** Also revokes. */
  reject: RefObject<RejectFormHandle>;
}

export const useDecisionForms = (): DecisionForms => ({
  accept: useRef<AcceptFormHandle>(null),
  reject: useRef<RejectFormHandle>(null),
});

/** Accepts, rejects or revokes a registration. */
export function DecisionForm(props: DecisionFormProps) {
  const { registration, action, problem, forms } = props;
  const { note, name, status, rev } = registration;
  const ending = endingOf(status);
  if (ending === null) return null;
  const verb = ending === 'reject' ? 'Reject' : 'Revoke';
  return (
    <div className={styles.decision}>
      {status === 'pending_review' && (
        <AcceptForm
          key={note}
          {...{ registration, action }}
          problem={formErrorOf(problem, { intent: 'accept' })}
          handle={forms.accept}
        />
      )}
      <RejectForm
        key={`${note} ${ending}`}
        handle={forms.reject}
        intent={ending}
        action={action}
        problem={formErrorOf(problem, { intent: ending })}
        keepValues
        className={`${styles.details}`}
        summary={
          <summary className={`${button.danger} ${styles.summary}`}>
            {verb}… <ShortcutKey>r</ShortcutKey>
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

/** Whether a message is about one of the forms that stand here, which then shows it. */
export const isOfDecision = (problem: FormError | undefined, registration: Decidable): boolean =>
  problem !== undefined &&
  (problem.values['intent'] === endingOf(registration.status) ||
    (problem.values['intent'] === 'accept' && !isPaid(registration)));

export type Decidable = Pick<RegistrationDetails, 'note' | 'status' | 'noticesThatAsk' | 'payment'>;

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
