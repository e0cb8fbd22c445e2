import { useId, type ReactNode } from 'react';
import type { FormError } from '../../form.server.ts';

interface FieldProps {
  label: ReactNode;
  /** Of the form's field, and of what is wrong with it. */
  name: string;
  failed: Pick<FormError, 'fields'> | null | undefined;
  children: (field: {
    className: string;
    name: string;
    'aria-invalid': true | undefined;
    'aria-describedby': string | undefined;
  }) => ReactNode;
}

/** A field with its label, and below it what is wrong with it. */
export function FormField({ label, name, failed, children }: FieldProps) {
  const id = useId();
  const wrong = failed?.fields[name];
  return (
    <label className="labelled">
      {label}
      {children({
        className: 'field',
        name,
        'aria-invalid': wrong ? true : undefined,
        'aria-describedby': wrong ? id : undefined,
      })}
      {wrong && (
        <span id={id} className="form-error">
          {wrong}
        </span>
      )}
    </label>
  );
}
