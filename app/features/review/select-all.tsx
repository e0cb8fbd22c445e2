import { useEffect, useRef, type ReactNode } from 'react';
import styles from './select-all.module.css';

interface SelectAllProps {
  /** How many rows are selected. */
  selected: number;
  /** How many there are to select. */
  total: number;
  onChange: (all: boolean) => void;
  children?: ReactNode;
}

/** A checkbox for all rows of a list: half ticked while some are selected and others are not. */
export function SelectAll({ selected, total, onChange, children = 'Select all' }: SelectAllProps) {
  const input = useRef<HTMLInputElement>(null);
  const some = selected > 0 && selected < total;
  useEffect(() => {
    if (input.current) input.current.indeterminate = some;
  }, [some]);
  return (
    <label className={`${styles.all} needs-scripts`}>
      <input
        ref={input}
        type="checkbox"
        className={styles.box}
        checked={total > 0 && selected === total}
        onChange={({ target }) => onChange(target.checked)}
      />
      {children}
    </label>
  );
}
