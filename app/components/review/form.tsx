import {
  useEffect,
  useId,
  useRef,
  useState,
  type InputHTMLAttributes,
  type ReactNode,
} from 'react';
import type { FormError } from '../../form.server.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from '../../../server/schemas/reviewers.ts';

/** Forms of accounts: a field with its error, and what went wrong on top. */

/** What an action answered, if it is an error: of this form, where a page has several. */
export function problemOf(answer: unknown, intent?: string): FormError | undefined {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return undefined;
  const problem = answer as FormError;
  return intent === undefined || problem.values['intent'] === intent ? problem : undefined;
}

/** Takes the focus when it appears, so that it is read first. */
export function Problem({ problem }: { problem: FormError | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problem) box.current?.focus();
  }, [problem]);
  if (!problem) return null;
  const marked = Object.keys(problem.fields).length;
  return (
    <div ref={box} className="problem" role="alert" tabIndex={-1} autoFocus>
      {marked === 0 || problem.code !== 'invalid_body'
        ? problem.error
        : marked === 1
          ? 'One field needs another look.'
          : `${marked} fields need another look.`}
    </div>
  );
}

export interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  name: string;
  problem: FormError | undefined;
  hint?: ReactNode;
  /** Beside the field. */
  children?: ReactNode;
}

/** A labelled field. What had been typed stands in it again, unless it was a secret. */
export function Field({ label, name, problem, hint, children, ...input }: FieldProps) {
  const id = useId();
  const wrong = problem?.fields[name];
  return (
    <div className="form-field">
      <label htmlFor={id}>{label}</label>
      <div className="form-input">
        <input
          {...input}
          id={id}
          name={name}
          className="field"
          defaultValue={problem?.values[name] ?? input.defaultValue}
          aria-invalid={wrong !== undefined || undefined}
          aria-describedby={wrong !== undefined || hint ? `${id}-says` : undefined}
        />
        {children}
      </div>
      {(wrong !== undefined || hint) && (
        <p id={`${id}-says`} className={wrong === undefined ? 'secondary' : 'wrong'}>
          {wrong === undefined ? hint : `${label}: ${wrong}.`}
        </p>
      )}
    </div>
  );
}

/** The password one has. */
export function PresentPassword(props: Omit<FieldProps, 'name' | 'label'> & { label?: string }) {
  return (
    <Field
      label="Your password"
      {...props}
      name="password"
      type="password"
      autoComplete="current-password"
      maxLength={PASSWORD_MAX}
      required
    />
  );
}

/** A password to be, typed once: it can be looked at. */
export function NewPassword(props: Omit<FieldProps, 'label'> & { label?: string }) {
  const [shown, setShown] = useState(false);
  return (
    <Field
      label="Password"
      hint={`At least ${PASSWORD_MIN} characters. Several words are easy to keep in mind.`}
      {...props}
      type={shown ? 'text' : 'password'}
      autoComplete="new-password"
      minLength={PASSWORD_MIN}
      maxLength={PASSWORD_MAX}
      spellCheck={false}
      autoCapitalize="none"
      required
    >
      <button
        type="button"
        className="button needs-scripts"
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      >
        Show
      </button>
    </Field>
  );
}
