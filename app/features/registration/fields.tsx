import type { InputHTMLAttributes, ReactNode } from 'react';
import field from '#app/ui/field.module.css';
import { WarningIcon } from '#app/ui/icons.tsx';
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
  error: ReactNode;
}

/** A field of one line: its label, the input, a hint, and what is wrong with it. @param children below that */
export function Field(props: FieldProps) {
  const { label, name, id = name, optional, hint, error, children, ...more } = props;
  const { className = '', ...input } = more;
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
        aria-describedby={`${hint ? `${id}-hint ` : ''}${id}-problem`}
        aria-invalid={error !== undefined && error !== ''}
        {...input}
      />
      <FieldError id={`${id}-problem`} text={error} />
      {children}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** What is wrong with a field, below it. Rendered from the start, so that a screen reader hears it change. */
export function FieldError({ id, text }: { id: string; text: ReactNode }) {
  return (
    <p id={id} className={styles.error} aria-live="polite">
      {text && (
        <>
          <WarningIcon />
          {text}
        </>
      )}
    </p>
  );
}

interface Choice {
  value: string;
  title: ReactNode;
  text?: ReactNode;
  /** At the right. */
  end?: ReactNode;
  disabled?: boolean;
}

interface ChoicesProps {
  legend: string;
  name: string;
  type: 'checkbox' | 'radio';
  options: readonly Choice[];
  chosen: readonly string[];
  /** Side by side, where there is room. */
  columns?: boolean;
  /** Whether the first one gets the focus. */
  autoFocus?: boolean;
  onChange: () => void;
  /** Between the legend and the choices. */
  notice?: ReactNode;
  hint?: string | undefined;
  error: string | undefined;
}

/** Checkboxes or radio buttons in one card, each with what it means. */
export function Choices(props: ChoicesProps) {
  const { legend, name, type, options, chosen, columns, autoFocus, notice, hint, error } = props;
  const problem = `${name}-problem`;
  return (
    <fieldset className={styles.field} aria-describedby={problem} onChange={props.onChange}>
      <legend>{legend}</legend>
      {notice}
      <div className={`${choices.choices} ${columns ? choices.columns : ''}`}>
        {options.map(({ value, title, text: meaning, end, disabled }, index) => (
          <label key={value} className={choices.choice}>
            <input
              type={type}
              name={name}
              value={value}
              defaultChecked={chosen.includes(value)}
              disabled={disabled}
              autoFocus={index === 0 && autoFocus}
              {...(index === 0 &&
                type === 'checkbox' && {
                  'aria-describedby': problem,
                  'aria-invalid': error !== undefined,
                })}
            />
            <span className={choices.what}>
              <strong>{title}</strong>
              {meaning !== undefined && <span className={text.secondary}>{meaning}</span>}
            </span>
            {end !== undefined && <span className={choices.end}>{end}</span>}
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
