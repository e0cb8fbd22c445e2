import { counted } from '#app/lib/formatters.ts';
import button from './button.module.css';
import styles from './changes-button.module.css';

/** Below a list whose order stands while somebody uses it (`useSteadyRows`): what would change, and a way to see it. */
export const ChangesButton = ({ changes, apply }: { changes: number; apply: () => void }) =>
  changes > 0 && (
    <p className={styles.changes}>
      <button type="button" className={button.button} onClick={apply}>
        Show {counted(changes, 'change')}
      </button>
    </p>
  );
