import type { ReactNode } from 'react';
import button from './button.module.css';
import styles from './filter-sheet.module.css';
import { useDetails } from './use-details.ts';

interface FilterSheetProps {
  /** How many filters are set. */
  set: number;
  /** What the button says that closes it: "Show 12 names". */
  show: string;
  children: ReactNode;
}

/** The choices of a list: on one line beside its field, and on a phone in a sheet at the bottom. */
export function FilterSheet({ set, show, children }: FilterSheetProps) {
  const { details, close } = useDetails();
  return (
    <details ref={details} className={styles.fold}>
      <summary className={button.button}>
        Filters{set > 0 && <span className={styles.set}>{set}</span>}
      </summary>
      <div className={styles.filters}>
        {children}
        <button
          type="button"
          className={`${button.primary} ${styles.done} needs-scripts`}
          onClick={close}
        >
          {show}
        </button>
      </div>
    </details>
  );
}
