import { FormProvider, getFormProps, useField, useForm } from '@conform-to/react';
import { Form, useNavigation, type FormProps } from '@remix-run/react';
import {
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type InputHTMLAttributes,
  type ReactNode,
} from 'react';
import { PASSWORD_MAX, PASSWORD_MIN } from '@mesh-registry/protocol/values.schema.ts';
import { submissionResult, type FormError } from '#app/lib/form-error.ts';
import button from '#app/ui/button.module.css';
import field from '#app/ui/field.module.css';
import styles from '#app/ui/form.module.css';
import text from '#app/ui/text.module.css';

/**
 * Forms, with and without scripts. Errors appear at the top and again at each field. conform keeps what was
 * typed, ties each message to its field, and moves the focus to the first field that needs another look.
 */

/** A refused form; a message that no action made may have these two parts only. */
export type FormProblem = Pick<FormError, 'error' | 'fields'> & Partial<FormError>;

/** What is wrong with a form. Takes the focus when it appears, so that it is read first. */
export function FormAlert({ problem }: { problem: FormProblem | undefined }) {
  const box = useFocusOnAnswer<HTMLDivElement>(problem);
  if (!problem) return null;
  const marked = Object.keys(problem.fields).length;
  return (
    <div ref={box} className={text.error} role="alert" tabIndex={-1} autoFocus>
      {marked === 0 || problem.code !== 'invalid_body'
        ? problem.error
        : marked === 1
          ? 'Check the marked field.'
          : `Check the ${marked} marked fields.`}
      {problem.signIn !== undefined && <SignInAgain href={problem.signIn} />}
    </div>
  );
}

/** In a tab of its own, so that what was typed here stays. */
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

export interface ActionFormProps extends Omit<FormProps, 'method'> {
  /** Tells the action of a page with several forms which one it is: the value of its button. */
  intent?: string;
  problem: FormProblem | undefined;
  /** What its button says. */
  submitLabel: ReactNode;
  look?: 'primary' | 'danger' | 'button';
  disabled?: boolean;
  /** Keeps what was typed once the form was accepted. */
  keepValues?: boolean;
}

/** A form with its message and its button. It is sent once at a time, and is empty again once accepted. */
export function ActionForm({
  id: given,
  intent,
  problem,
  submitLabel,
  look = 'button',
  disabled = false,
  keepValues = false,
  className,
  children,
  ...props
}: ActionFormProps) {
  const own = useId();
  const id = given ?? own;
  const lastResult = useMemo(
    () => problem && submissionResult({ values: {}, ...problem }),
    [problem],
  );
  const [form] = useForm({ id, lastResult });
  const { state, formData } = useNavigation();
  const busy = intent === undefined ? state !== 'idle' : formData?.get('intent') === intent;
  const element = useRef<HTMLFormElement>(null);
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !busy && !problem && !keepValues) element.current?.reset();
    wasBusy.current = busy;
  }, [busy, problem, keepValues]);
  return (
    <FormProvider context={form.context}>
      <Form
        {...props}
        {...getFormProps(form)}
        // The browser's own hints (a required field, an address without @) save a round trip.
        noValidate={false}
        ref={element}
        method="post"
        className={`${styles.form} ${className ?? ''}`}
        onSubmit={(event) => (busy ? event.preventDefault() : form.onSubmit(event))}
      >
        <FormAlert problem={problem} />
        {children}
        <button
          className={`${button[look]} ${styles.submit}`}
          {...(intent !== undefined && { name: 'intent', value: intent })}
          disabled={disabled}
          aria-disabled={busy || undefined}
        >
          {submitLabel}
        </button>
      </Form>
    </FormProvider>
  );
}

/** What a control is given: its id, name, class and what describes it. */
interface ControlProps {
  id: string;
  className: string;
  name: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
  /** What had been typed, unless it was a secret. */
  defaultValue: string | undefined;
}

interface FormFieldProps {
  label: string;
  name: string;
  hint?: ReactNode;
  children: (control: ControlProps) => ReactNode;
}

/** A field of an {@link ActionForm}: a label, the control, and below it what is wrong, or a hint. */
export function FormField({ name, ...props }: FormFieldProps) {
  const [meta] = useField<string>(name);
  return (
    <LabelledControl
      {...props}
      name={name}
      error={meta.errors?.[0]}
      defaultValue={typeof meta.initialValue === 'string' ? meta.initialValue : undefined}
    />
  );
}

/** The same outside of an ActionForm, such as in a form that filters a list. */
export function LabelledControl({
  label,
  name,
  hint,
  error,
  defaultValue,
  children,
}: FormFieldProps & { error?: string | undefined; defaultValue?: string | undefined }) {
  const id = useId();
  const note = error === undefined ? hint : sentence(error);
  return (
    <div className={styles.field}>
      {/* Beside the control, not around it: a label around a select would be named by its options as well. */}
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        className: `${field.field} ${styles.control}`,
        name,
        'aria-invalid': error === undefined ? undefined : true,
        'aria-describedby': note ? `${id}-note` : undefined,
        defaultValue,
      })}
      {note && (
        <p id={`${id}-note`} className={error === undefined ? text.secondary : text.wrong}>
          {note}
        </p>
      )}
    </div>
  );
}

/** A service's message about a field ("is reserved", "choose a column") as a sentence. */
const sentence = (message: string) =>
  /^(is|was|has|must)\b/.test(message)
    ? `This ${message}.`
    : `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.?]$/.test(message) ? '' : '.'}`;

type TextFieldProps = Omit<FormFieldProps, 'children'> &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'name' | 'children'>;

/** A field of one line. @param children beside its input */
export function TextField({
  label,
  name,
  hint,
  children,
  ...input
}: TextFieldProps & { children?: ReactNode }) {
  return (
    <FormField {...{ label, name, hint }}>
      {(control) => (
        <div className={styles.input}>
          <input
            {...input}
            {...control}
            defaultValue={control.defaultValue ?? input.defaultValue}
          />
          {children}
        </div>
      )}
    </FormField>
  );
}

export function CurrentPassword({ label = 'Current password' }) {
  return (
    <TextField
      label={label}
      name="password"
      type="password"
      autoComplete="current-password"
      maxLength={PASSWORD_MAX}
      required
    />
  );
}

/** A new password, typed once; it can be shown. */
export function NewPassword({ label = 'Password', name }: { label?: string; name: string }) {
  const [shown, setShown] = useState(false);
  return (
    <TextField
      hint={`At least ${PASSWORD_MIN} characters. A few words are easy to remember.`}
      {...{ label, name }}
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
        className={`${button.button} needs-scripts`}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      >
        Show
      </button>
    </TextField>
  );
}

/**
 * For what takes the focus, such as a heading, so that keyboard and screen reader continue below it.
 * @param answer what its section is about: the focus moves with every new one
 */
export function useFocusOnAnswer<Target extends HTMLElement = HTMLHeadingElement>(
  answer: object | string | null | undefined,
) {
  const target = useRef<Target>(null);
  useEffect(() => {
    if (answer) target.current?.focus();
  }, [answer]);
  return target;
}
