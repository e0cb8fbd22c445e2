import button from '#app/ui/button.module.css';
import { RowAction } from './row-action.tsx';
import styles from './confirm-action.module.css';

interface ConfirmActionProps {
  /** What it does: the text of its link. */
  label: string;
  /** The row it is about, for screen readers. */
  subject: string;
  intent: string;
  /** What will happen. */
  consequence: string;
  /** The text of the button that does it. */
  submitLabel: string;
}

/** An action on a table's row that is hard to undo: says what will happen before its button can be pressed. */
export function ConfirmAction({
  label,
  subject,
  intent,
  consequence,
  submitLabel,
}: ConfirmActionProps) {
  return (
    <RowAction label={label} subject={subject}>
      <p>{consequence}</p>
      <button className={`${button.danger} ${styles.submit}`} name="intent" value={intent}>
        {submitLabel}
      </button>
    </RowAction>
  );
}
