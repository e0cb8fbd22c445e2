import type { InputHTMLAttributes } from 'react';
import text from '#app/ui/text.module.css';
import styles from './choice-cards.module.css';
import { FieldError } from './form-parts.tsx';
import wizard from './wizard.module.css';

interface ChoiceCardsProps<Value extends string> {
  legend: string;
  name: string;
  type: 'checkbox' | 'radio';
  options: readonly { value: Value; title: string; text: string }[];
  isChecked: (value: Value) => boolean;
  columns: 'two' | 'three';
  /** Attributes of the first input, which gets the focus if something is wrong. */
  first: InputHTMLAttributes<HTMLInputElement>;
  hint?: string;
  error: string | undefined;
}

/** Checkboxes or radio buttons as cards, each with what it means. */
export function ChoiceCards<Value extends string>({
  legend,
  name,
  type,
  options,
  isChecked,
  columns,
  first,
  hint,
  error,
}: ChoiceCardsProps<Value>) {
  return (
    <fieldset className={wizard.field} aria-describedby={`${name}-problem`}>
      <legend>{legend}</legend>
      <div className={`${styles.choices} ${columns === 'two' ? styles.two : styles.three}`}>
        {options.map((option, index) => (
          <label key={option.value} className={styles.choice}>
            <input
              type={type}
              name={name}
              value={option.value}
              defaultChecked={isChecked(option.value)}
              {...(index === 0 && first)}
            />
            <span>
              <strong>{option.title}</strong>
              <span className={text.secondary}>{option.text}</span>
            </span>
          </label>
        ))}
      </div>
      {hint && <p className={wizard.hint}>{hint}</p>}
      <FieldError id={`${name}-problem`} text={error} />
    </fieldset>
  );
}
