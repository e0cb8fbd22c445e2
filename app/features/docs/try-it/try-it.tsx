import { useId, useRef, useState, type ChangeEvent } from 'react';
import button from '#app/ui/button.module.css';
import field from '#app/ui/field.module.css';
import { CodeBlock } from '../section.tsx';
import { curl, type Target } from '../curl.ts';
import type { Operation, Parameter } from '../reference.server.ts';
import { Result } from './result.tsx';
import styles from './try-it.module.css';
import { useRequest } from './send-request.ts';

/** A form that sends a GET from the browser, and the same request as a command. */
export function TryIt({ operation, target }: { operation: Operation; target: Target }) {
  const { method, path, parameters } = operation;
  const inputs = parameters.filter(({ in: place }) => place === 'query' || place === 'path');
  const [values, setValues] = useState(() =>
    Object.fromEntries(inputs.map((input) => [input.path, initial(input)])),
  );
  const { state, send, cancel } = useRequest();
  const submit = useRef<HTMLButtonElement>(null);
  const url = urlOf(path, values);
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

/** A path needs all of its parameters: each begins with its example. */
const initial = ({ in: place, standard, example }: Parameter) =>
  place === 'path' ? String(example) : (standard ?? '');

/** The path with its parameters, and the others that have a value as its query. */
function urlOf(path: string, values: Record<string, string>): string {
  const query = new URLSearchParams();
  let url = path;
  for (const [name, value] of Object.entries(values))
    if (path.includes(`{${name}}`)) url = url.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '') query.append(name, value);
  return query.size === 0 ? url : `${url}?${query}`;
}

interface ParameterInputProps {
  parameter: Parameter;
  value: string;
  onChange: (value: string) => void;
}

function ParameterInput({ parameter, value, onChange }: ParameterInputProps) {
  const id = useId();
  const { path: name, required, values, standard, example } = parameter;
  const control = {
    id,
    className: field.field,
    value,
    required,
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      onChange(target.value),
  };
  return (
    <div className={styles.parameter}>
      <label htmlFor={id}>
        <code>{name}</code>
      </label>
      {values ? (
        <select {...control}>
          {standard === null && <option value="">not set</option>}
          {values.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : (
        <input
          {...control}
          placeholder={`such as ${String(example)}`}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
      )}
    </div>
  );
}
