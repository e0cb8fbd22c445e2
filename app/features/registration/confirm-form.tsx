import { Form, useNavigation } from '@remix-run/react';
import type { MutableRefObject, ReactNode } from 'react';
import type { FormError } from '#app/lib/form-error.ts';
import { FieldProblem } from './field-problem.tsx';
import type { Draft } from './use-draft.ts';

/** Why the last attempt did not succeed; what was typed is there unless the field still holds it. */
export type Refused = Pick<FormError, 'error'> & Partial<FormError>;

export interface ConfirmFormProps {
  refused: Refused | null;
  draft: MutableRefObject<Draft>;
  /** Of the button. */
  label: string;
  /** The text is what the form is for. */
  needsText?: boolean;
  /** There is a text already, and this one takes its place. */
  corrects?: boolean;
  /** What happens next, in a sentence. */
  children: ReactNode;
}

/** "I have paid", with the confirmation text of the payment app. */
export function ConfirmForm({
  refused,
  draft,
  label,
  needsText = false,
  corrects = false,
  children,
}: ConfirmFormProps) {
  const sending = useNavigation().formMethod === 'POST';
  const given = refused?.values?.['cashConfirm'] ?? '';
  const wrong = refused?.fields?.['cashConfirm'];
  return (
    <Form
      method="post"
      className="confirm-form"
      preventScrollReset
      onFocus={() => (draft.current.focused = true)}
      onBlur={() => (draft.current.focused = false)}
    >
      {corrects && <input type="hidden" name="corrects" value="yes" />}
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
            defaultValue={given || draft.current.text}
            onInput={({ currentTarget }) => (draft.current.text = currentTarget.value)}
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
