import type { ReactNode } from 'react';
import type { RecentDecision } from '#server/review/index.ts';
import card from '#app/ui/card.module.css';
import { ActionForm } from '#app/ui/form.tsx';
import text from '#app/ui/text.module.css';
import { DECIDED, DECIDING, registrations } from '../labels.ts';
import { UndoUntil } from '../row-parts.tsx';
import { groupDecisions } from './decision-feedback.tsx';
import { ShortcutKey } from './shortcut-setting.tsx';
import styles from './undo-bar.module.css';

interface UndoBarProps {
  /** The reviewer's own decisions that can still be undone, newest first. */
  mine: RecentDecision[];
  /** Where the forms go. */
  action: string;
}

/** The reviewer's own decisions of the last seconds, each with a button that undoes it; those made together have one. */
export function UndoBar({ mine, action }: UndoBarProps) {
  if (mine.length === 0) return null;
  return (
    <ul className={styles.bar} aria-label="Decisions that can be undone">
      {groupDecisions(mine).map(({ decisions: [first], notes }, index) => {
        const { note, name, decision, undoUntil } = first;
        const subject = notes.length === 1 ? name : registrations(notes.length);
        return (
          <li key={note} className={`${card.floating} ${styles.decision}`}>
            <span className={styles.text}>
              {DECIDED[decision]} <strong>{subject}</strong>.{' '}
              <span className={text.secondary}>
                Can be undone <UndoUntil at={undoUntil} />
              </span>
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
                    {DECIDING[decision]} {subject}
                  </span>{' '}
                  {index === 0 && <ShortcutKey>u</ShortcutKey>}
                </>
              }
            >
              {notes.map((each) => (
                <input key={each} type="hidden" name="note" value={each} />
              ))}
            </ActionForm>
          </li>
        );
      })}
    </ul>
  );
}

/** Stays in sight at the bottom of the window while there is anything in it. */
export const FloatingBars = ({
  className = '',
  children,
}: {
  className?: string;
  children: ReactNode;
}) => <div className={`${styles.bars} ${className}`}>{children}</div>;
