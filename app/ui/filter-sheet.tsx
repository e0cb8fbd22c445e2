import { useEffect, useRef, type ReactNode } from 'react';
import button from './button.module.css';
import styles from './filter-sheet.module.css';

interface FilterSheetProps {
  /** How many filters are set. */
  set: number;
  /** What the button says that closes it: "Show 12 names". */
  show: string;
  children: ReactNode;
}

/** The choices of a list: on one line beside its field, and on a phone in a sheet at the bottom. */
export function FilterSheet({ set, show, children }: FilterSheetProps) {
  const sheet = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const closeBy = (event: Event) => {
      const { current } = sheet;
      if (!current?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        if (current.contains(document.activeElement)) current.querySelector('summary')?.focus();
      } else if (current.contains(event.target as Node)) return;
      current.open = false;
    };
    for (const event of ['pointerdown', 'keydown']) document.addEventListener(event, closeBy);
    return () => {
      for (const event of ['pointerdown', 'keydown']) document.removeEventListener(event, closeBy);
    };
  }, []);
  const close = () => {
    if (!sheet.current) return;
    sheet.current.open = false;
    sheet.current.querySelector('summary')?.focus();
  };
  return (
    <details ref={sheet} className={styles.fold}>
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
