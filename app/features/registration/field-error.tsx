import styles from './wizard.module.css';

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
