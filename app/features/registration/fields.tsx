import type { InputHTMLAttributes, ReactNode } from 'react';
import field from '#app/ui/field.module.css';
import text from '#app/ui/text.module.css';
import choices from './fields.module.css';
import styles from './wizard.module.css';
import { answerFields, type WizardAnswers } from './wizard.ts';

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  name: string;
  /** By default its name. Its hint and its problem are named after it. */
  id?: string;
  optional?: boolean;
  hint?: ReactNode;
  /** Between the hint and the problem. */
  notices?: ReactNode;
  /** The ids of what describes it besides its hint and its problem. */
  describedBy?: string;
  error: string | undefined;
}

/** A field of one line: its label, the input, a hint, and what is wrong with it. @param children below all that */
export function Field(props: FieldProps) {
  const { label, name, id = name, optional, hint, notices, error, children, ...more } = props;
  const { className = '', describedBy, ...input } = more;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>
        {label}
        {optional && <span className={styles.optional}> optional</span>}
      </label>
      <input
        id={id}
        className={`${field.field} ${styles.control} ${className}`}
        name={name}
        autoComplete="off"
        aria-describedby={[hint && `${id}-hint`, describedBy, `${id}-problem`]
          .filter(Boolean)
          .join(' ')}
        aria-invalid={error !== undefined}
        {...input}
      />
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {notices}
      <FieldError id={`${id}-problem`} text={error} />
      {children}
    </div>
  );
}

/** What is wrong with a field, below it. Rendered from the start, so that a screen reader hears it change. */
export function FieldError({ id, text }: { id: string; text: string | undefined }) {
  return (
    <p id={id} className={styles.error} aria-live="polite">
      {text && (
        <>
          <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden>
            <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" strokeWidth="1.75" />
            <path d="M8 4.5v4.2M8 10.6v1" stroke="currentColor" strokeWidth="1.75" />
          </svg>
          {text}
        </>
      )}
    </p>
  );
}

interface ChoiceCardsProps {
  legend: string;
  name: string;
  type: 'checkbox' | 'radio';
  options: readonly { value: string; title: string; text: string }[];
  chosen: readonly string[];
  /** Whether the first one gets the focus. */
  autoFocus: boolean;
  hint?: string;
  error: string | undefined;
}

/** Checkboxes or radio buttons as cards, each with what it means. */
export function ChoiceCards(props: ChoiceCardsProps) {
  const { legend, name, type, options, chosen, autoFocus, hint, error } = props;
  const problem = `${name}-problem`;
  return (
    <fieldset className={styles.field} aria-describedby={problem}>
      <legend>{legend}</legend>
      <div className={`${choices.choices} ${options.length === 2 ? choices.two : choices.three}`}>
        {options.map(({ value, title, text: meaning }, index) => (
          <label key={value} className={choices.choice}>
            <input
              type={type}
              name={name}
              value={value}
              defaultChecked={chosen.includes(value)}
              autoFocus={index === 0 && autoFocus}
              {...(index === 0 &&
                type === 'checkbox' && {
                  'aria-describedby': problem,
                  'aria-invalid': error !== undefined,
                })}
            />
            <span>
              <strong>{title}</strong>
              <span className={text.secondary}>{meaning}</span>
            </span>
          </label>
        ))}
      </div>
      {hint && <p className={styles.hint}>{hint}</p>}
      <FieldError id={problem} text={error} />
    </fieldset>
  );
}

/** Answers of other steps, which a form sends on as they are. */
export function HiddenAnswers({
  answers,
  without,
}: {
  answers: WizardAnswers;
  without: (keyof WizardAnswers)[];
}) {
  return answerFields(answers)
    .filter(([name]) => !without.includes(name as keyof WizardAnswers))
    .map(([name, value]) => (
      <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
    ));
}
