import styles from './wizard.module.css';
import { answerFields, type WizardAnswers } from './wizard.ts';

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
