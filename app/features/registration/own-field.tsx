import type { ReactNode } from 'react';
import field from '#app/ui/field.module.css';
import text from '#app/ui/text.module.css';
import styles from './own-field.module.css';

interface OwnFieldProps {
  id: string;
  label: ReactNode;
  hint?: ReactNode;
  /** What is wrong with it, as a sentence. */
  error?: string | undefined;
  children: (control: {
    id: string;
    className: string;
    'aria-describedby': string;
    'aria-invalid': boolean;
  }) => ReactNode;
}

/** A field of the forms on a registration's page: its label, its control, a hint, and what is wrong. */
export const OwnField = ({ id, label, hint, error, children }: OwnFieldProps) => (
  <div className={styles.field}>
    <label htmlFor={id}>{label}</label>
    {children({
      id,
      className: `${field.field} ${styles.control}`,
      'aria-describedby': `${hint ? `${id}-hint ` : ''}${id}-problem`,
      'aria-invalid': error !== undefined,
    })}
    {hint && (
      <p id={`${id}-hint`} className={text.secondary}>
        {hint}
      </p>
    )}
    {/* Rendered from the start, so that a screen reader hears it change. */}
    <p id={`${id}-problem`} className={text.wrong} aria-live="polite">
      {error}
    </p>
  </div>
);
