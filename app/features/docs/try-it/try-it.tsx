import { useId, useRef, useState } from 'react';
import button from '#app/ui/button.module.css';
import field from '#app/ui/field.module.css';
import { CodeBlock } from '../code-block.tsx';
import { curl, type Target } from '../examples.ts';
import type { Operation, Parameter } from '../reference.server.ts';
import { Result } from './result.tsx';
import styles from './try-it.module.css';
import { useRequest } from './use-request.ts';

/** A form that sends a GET from the browser, and the same request as a command. */
export function TryIt({ operation, target }: { operation: Operation; target: Target }) {
  const { method, path, parameters } = operation;
  const inputs = parameters.filter((parameter) => parameter.in === 'query');
  const [values, setValues] = useState(() =>
    Object.fromEntries(inputs.map(({ path: name, standard }) => [name, standard ?? ''])),
  );
  const { state, send, cancel } = useRequest();
  const submit = useRef<HTMLButtonElement>(null);
  const url = path + queryOf(values);
  return (
    <div className={`${styles.frame} needs-scripts`}>
      <form
        className={styles.form}
        aria-label={`Try ${method} ${path}`}
        onSubmit={(event) => {
          event.preventDefault();
          void send(url);
        }}
      >
        <h3>Try it</h3>
        {inputs.map((parameter) => (
          <ParameterInput
            key={parameter.path}
            parameter={parameter}
            value={values[parameter.path] ?? ''}
            onChange={(value) => setValues({ ...values, [parameter.path]: value })}
          />
        ))}
        <div className={styles.buttons}>
          <button ref={submit} className={button.button}>
            Send request
          </button>
          {state.state === 'sending' && (
            <button
              type="button"
              className={`${button.link} ${styles.cancel}`}
              onClick={() => {
                cancel();
                submit.current?.focus();
              }}
            >
              Cancel
            </button>
          )}
        </div>
      </form>
      <CodeBlock caption="As a command" code={curl(target, url)} />
      <Result state={state} />
    </div>
  );
}

/** The query of the parameters that have a value; empty without any. */
function queryOf(values: Record<string, string>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  return query.size === 0 ? '' : `?${query}`;
}

interface ParameterInputProps {
  parameter: Parameter;
  value: string;
  onChange: (value: string) => void;
}

function ParameterInput({ parameter, value, onChange }: ParameterInputProps) {
  const id = useId();
  const { path: name, required, values, standard, example } = parameter;
  return (
    <div className={styles.parameter}>
      <label htmlFor={id}>
        <code>{name}</code>
      </label>
      {values ? (
        <select
          id={id}
          className={field.field}
          value={value}
          required={required}
          onChange={(event) => onChange(event.target.value)}
        >
          {standard === null && <option value="">not set</option>}
          {values.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          className={field.field}
          value={value}
          required={required}
          placeholder={`such as ${String(example)}`}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </div>
  );
}
