import { useId, type RefObject } from 'react';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import { ShortcutSwitch } from '#app/ui/shortcut-setting.tsx';
import { REASONS } from './reject-form.tsx';
import styles from './shortcuts-dialog.module.css';

const SHORTCUTS = [
  { keys: ['j', 'k'], does: 'Next and previous registration; in the list, the arrow keys too' },
  { keys: ['Enter', 'o'], does: 'Open the registration' },
  { keys: ['a'], does: 'Accept the open registration' },
  {
    keys: ['r'],
    does: 'Reject the selected ones; in an open one, reject or revoke it. Choose a reason, or press Tab to write one',
  },
  { keys: [`1–${REASONS.length}`], does: 'Choose a reason; Enter sends it' },
  { keys: ['x'], does: 'Select the registration in the list; with Shift, all up to it' },
  { keys: ['Esc'], does: 'Clear the selection' },
  { keys: ['u'], does: 'Undo your last decision within a few seconds' },
  { keys: ['?'], does: 'Show these shortcuts' },
] as const;

/** All keyboard shortcuts, and the switch for them. Opened by `showModal()`. */
export function ShortcutsDialog({ dialog }: { dialog: RefObject<HTMLDialogElement> }) {
  const id = useId();
  return (
    <dialog ref={dialog} className={`${card.floating} ${styles.dialog}`} aria-labelledby={id}>
      <h2 id={id}>Keyboard shortcuts</h2>
      <dl className={styles.shortcuts}>
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.setting}>
        <ShortcutSwitch />
      </p>
      <form method="dialog">
        <button className={button.button}>Close</button>
      </form>
    </dialog>
  );
}
