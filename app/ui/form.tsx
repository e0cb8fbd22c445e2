import { Form, useNavigation, type FormProps } from '@remix-run/react';
import {
  useEffect,
  useId,
  useRef,
  useState,
  type InputHTMLAttributes,
  type ReactNode,
} from 'react';
import type { FormError } from '#app/lib/form-action.server.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from '#server/common/values.schema.ts';

/** Forms of reviewers' pages: what is wrong stands on top, and again at the field that is meant. */

/** Of a form that was refused. An answer that only shows what is wrong has no more than these two. */
export type FormProblem = Pick<FormError, 'error' | 'fields'> & Partial<FormError>;

/**
 * What an action answered, if it refused the form.
 * @param answer from useActionData, or from useAnswer on a page that refreshes itself
 * @param of what the form says of itself, such as its intent: on a page with several, only the refusal of that one
 */
export function problemOf(answer: unknown, of: Record<string, string> = {}): FormError | undefined {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return undefined;
  const problem = answer as FormError;
  const its = Object.entries(of).every(([name, value]) => problem.values[name] === value);
  return its ? problem : undefined;
}

/** Takes the focus when it appears, so that it is read first. @param children in other words */
export function Problem({
  problem,
  children,
}: {
  problem: FormProblem | undefined;
  children?: string | undefined;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problem) box.current?.focus();
  }, [problem]);
  if (!problem) return null;
  const marked = Object.keys(problem.fields).length;
  return (
    <div ref={box} className="form-error" role="alert" tabIndex={-1} autoFocus>
      {children ??
        (marked === 0 || problem.code !== 'invalid_body'
          ? problem.error
          : marked === 1
            ? 'One field needs another look.'
            : `${marked} fields need another look.`)}
      {problem.signIn !== undefined && <SignInAgain href={problem.signIn} />}
    </div>
  );
}

/** In a tab of its own, so that what is typed here stays. */
function SignInAgain({ href }: { href: string }) {
  return (
    <p>
      <a href={href} target="_blank" rel="noopener">
        Sign in again<span className="visually-hidden"> in a new tab</span>
      </a>
      , then come back to this tab and send it once more.
    </p>
  );
}

interface ActionFormProps extends Omit<FormProps, 'method'> {
  /** Of its button: tells the page's action which form it is. */
  intent: string;
  problem: FormProblem | undefined;
  /** Instead of the problem's own sentence. */
  says?: string | undefined;
  /** What its button says. */
  does: ReactNode;
  look?: 'primary' | 'danger';
  /** There is nothing to send. */
  nothing?: boolean;
  /** What is filled in stays when it was taken. */
  stays?: boolean;
}

/** A form with its problem and its button. It is sent once at a time, and is empty again when it was taken. */
export function ActionForm({
  intent,
  problem,
  says,
  does,
  look,
  nothing = false,
  stays = false,
  children,
  ...form
}: ActionFormProps) {
  const own = useRef<HTMLFormElement>(null);
  const busy = useNavigation().formData?.get('intent') === intent;
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !busy && !problem && !stays) own.current?.reset();
    wasBusy.current = busy;
  }, [busy, problem, stays]);
  return (
    <Form
      {...form}
      ref={own}
      method="post"
      className="form"
      onSubmit={(event) => busy && event.preventDefault()}
    >
      <Problem problem={problem}>{says}</Problem>
      {children}
      <button
        className={`button ${look ?? ''}`}
        name="intent"
        value={intent}
        disabled={nothing}
        aria-disabled={busy || undefined}
      >
        {does}
      </button>
    </Form>
  );
}

/** What is wrong with a field, as the services say it ("is reserved", "choose a column"), below its label. */
const sentence = (wrong: string) =>
  /^(is|was|has|must)\b/.test(wrong)
    ? `This ${wrong}.`
    : `${wrong.charAt(0).toUpperCase()}${wrong.slice(1)}.`;

interface FormFieldProps {
  label: string;
  name: string;
  /** Of the form. A search has none. */
  problem?: FormProblem | undefined;
  hint?: ReactNode;
  children: (field: {
    id: string;
    className: string;
    name: string;
    'aria-invalid': true | undefined;
    'aria-describedby': string | undefined;
    /** What had been typed, unless it was a secret. */
    defaultValue: string | undefined;
  }) => ReactNode;
}

/** A label, what one fills in, and below it what is wrong with that, or a hint. */
export function FormField({ label, name, problem, hint, children }: FormFieldProps) {
  const id = useId();
  const wrong = problem?.fields[name];
  const says = wrong === undefined ? hint : sentence(wrong);
  return (
    <div className="form-field">
      {/* Beside the field, not around it: a label around a select would be called by its options as well. */}
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        className: 'field',
        name,
        'aria-invalid': wrong === undefined ? undefined : true,
        'aria-describedby': says ? `${id}-says` : undefined,
        defaultValue: problem?.values?.[name],
      })}
      {says && (
        <p id={`${id}-says`} className={wrong === undefined ? 'secondary' : 'wrong'}>
          {says}
        </p>
      )}
    </div>
  );
}

type InputProps = Omit<FormFieldProps, 'children'> &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'name' | 'children'>;

/** A field of one line. @param children beside it */
export function Field({
  label,
  name,
  problem,
  hint,
  children,
  ...input
}: InputProps & { children?: ReactNode }) {
  return (
    <FormField {...{ label, name, problem, hint }}>
      {(field) => (
        <div className="form-input">
          <input {...input} {...field} defaultValue={field.defaultValue ?? input.defaultValue} />
          {children}
        </div>
      )}
    </FormField>
  );
}

/** The password one has. */
export function PresentPassword(props: Omit<InputProps, 'name' | 'label'> & { label?: string }) {
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
export function NewPassword(props: Omit<InputProps, 'label'> & { label?: string }) {
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
