import { useField } from '@conform-to/react';
import { useId } from 'react';
import styles from './radio-group.module.css';
import text from './text.module.css';

interface RadioGroupProps<Value extends string> {
  legend: string;
  name: string;
  /** Each value is also its label. */
  options: readonly Value[];
  defaultValue: Value;
}

/** A field of an ActionForm (form.tsx): one of a few options. */
export function RadioGroup<Value extends string>({
  legend,
  name,
  options,
  defaultValue,
}: RadioGroupProps<Value>) {
  const [{ errors, initialValue }] = useField<string>(name);
  const id = useId();
  return (
    <fieldset className={styles.group} aria-describedby={errors ? id : undefined}>
      <legend>{legend}</legend>
      <div className={styles.options}>
        {options.map((option) => (
          <label key={option} className={styles.option}>
            <input
              type="radio"
              name={name}
              value={option}
              defaultChecked={option === (initialValue ?? defaultValue)}
            />
            {option}
          </label>
        ))}
      </div>
      {errors && (
        <p id={id} className={text.wrong}>
          This {errors[0]}.
        </p>
      )}
    </fieldset>
  );
}
