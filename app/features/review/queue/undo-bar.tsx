import type { PendingDecision } from '#server/review/index.ts';
import { ActionForm } from '#app/ui/form.tsx';
import card from '#app/ui/card.module.css';
import { DECIDING } from '../labels.ts';
import { EffectiveIn } from '../moments.tsx';
import { ShortcutKey } from './shortcut-key.tsx';
import styles from './undo-bar.module.css';

interface UndoBarProps {
  /** The reviewer's own decisions that can still be undone, newest first. */
  mine: PendingDecision[];
  /** Where the forms go. */
  action: string;
  className?: string;
}

/** The reviewer's own decisions of the last seconds, each with a button that undoes it. */
export function UndoBar({ mine, action, className = '' }: UndoBarProps) {
  if (mine.length === 0) return null;
  return (
    <ul className={`${styles.bar} ${className}`} aria-label="Decisions that can be undone">
      {mine.map(({ note, name, decision, effectiveAt }, index) => (
        <li key={note} className={`${card.floating} ${styles.decision}`}>
          <span className={styles.text}>
            {DECIDING[decision]} <strong>{name}</strong> <EffectiveIn at={effectiveAt} />
          </span>
          <ActionForm
            intent="undo"
            action={action}
            preventScrollReset
            problem={undefined}
            submitLabel={
              <>
                Undo{' '}
                <span className="visually-hidden">
                  {DECIDING[decision].toLowerCase()} {name}
                </span>{' '}
                {index === 0 && <ShortcutKey>u</ShortcutKey>}
              </>
            }
          >
            <input type="hidden" name="note" value={note} />
          </ActionForm>
        </li>
      ))}
    </ul>
  );
}
