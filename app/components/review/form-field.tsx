import { useId, type ReactNode } from 'react';
import type { FormError } from '../../form.server.ts';

interface FieldProps {
  label: ReactNode;
  /** Of the form's field, and of what is wrong with it. */
  name: string;
  failed: Pick<FormError, 'fields'> | null | undefined;
  children: (field: {
    id: string;
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
    <div className="labelled">
      {/* Beside the field, not around it: a label around a select would be called by its options as well. */}
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        className: 'field',
        name,
        'aria-invalid': wrong ? true : undefined,
        'aria-describedby': wrong ? `${id}-wrong` : undefined,
      })}
      {wrong && (
        <span id={`${id}-wrong`} className="wrong">
          {wrong}
        </span>
      )}
    </div>
  );
}
