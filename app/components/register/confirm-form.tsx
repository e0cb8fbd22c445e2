import { Form, Link, useNavigation } from '@remix-run/react';
import type { ReactNode } from 'react';
import type { FormError } from '../../form.server.ts';
import { FieldProblem } from './field-problem.tsx';

/** Why the last attempt did not succeed; what was typed is there unless the field still holds it. */
export type Refused = Pick<FormError, 'error'> & Partial<FormError>;

export interface ConfirmFormProps {
  refused: Refused | null;
  /** Of the button. */
  label: string;
  /** The text is what the form is for. */
  needsText?: boolean;
  /** What happens next, in a sentence. */
  children: ReactNode;
}

/** "I have paid", with the confirmation text of the payment app. */
export function ConfirmForm({ refused, label, needsText = false, children }: ConfirmFormProps) {
  const sending = useNavigation().formMethod === 'POST';
  const given = refused?.values?.['cashConfirm'] ?? '';
  const wrong = refused?.fields?.['cashConfirm'];
  return (
    <Form method="post" className="confirm-form" preventScrollReset>
      <div className="wizard-field">
        <label htmlFor="cashConfirm">
          Confirmation text of Cash App {!needsText && <span className="optional">optional</span>}
        </label>
        <div className="confirm-row">
          <input
            id="cashConfirm"
            className="field"
            name="cashConfirm"
            key={given}
            defaultValue={given}
            maxLength={128}
            required={needsText}
            autoComplete="off"
            spellCheck={false}
            placeholder="#D-7Q2M41"
            aria-describedby="confirm-hint cashConfirm-problem"
            aria-invalid={wrong !== undefined}
            autoFocus={wrong !== undefined}
          />
          <button className="button">{sending ? 'Sending…' : label}</button>
        </div>
        <p id="confirm-hint" className="secondary">
          {children}
        </p>
        <FieldProblem id="cashConfirm-problem" text={wrong && `The text ${wrong}.`} />
      </div>
      {refused && !wrong && refused.code !== 'name_taken' && (
        <p className="form-error" role="alert">
          {refused.error}
        </p>
      )}
    </Form>
  );
}

/** What somebody does who has paid for a name that is another's by now. */
export function NameGone({ name, note, again }: { name: string; note: string; again: string }) {
  return (
    <div className="form-error" role="alert">
      <p>
        After the hold had ended, somebody else registered {name}. It cannot be yours now, but your
        payment can still be found by its note.
      </p>
      <p>
        <Link to={again}>Register another name</Link>. Do not pay again: where it asks for the
        confirmation text, put the note of the payment that you made, <code>{note}</code>. A
        reviewer then decides with both in view.
      </p>
    </div>
  );
}
