import { useEffect, useRef } from 'react';
import styles from './search-field.module.css';

/** Pause in typing after which the list follows, ms. */
const PAUSE_MS = 150;

export interface SearchFieldProps {
  /** Of the parameter in the address: the form sends it without scripts. */
  name: string;
  label: string;
  value: string;
  maxLength: number;
  /** Called with the text while it is typed. */
  onSearch: (text: string) => void;
}

/** A field that searches while one types, and by its form where there are no scripts. */
export function SearchField({ name, label, value, maxLength, onSearch }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const follow = (text: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSearch(text.trim()), PAUSE_MS);
  };
  useEffect(() => {
    // What was typed before the scripts had taken over.
    const input = field.current;
    if (input && input.value.trim() !== value && document.activeElement === input)
      follow(input.value);
    return () => clearTimeout(timer.current);
  }, []);
  // The address changed by something else than this field: the way back, a button that clears.
  useEffect(() => {
    const input = field.current;
    if (input && input.value.trim() !== value && document.activeElement !== input)
      input.value = value;
  }, [value]);
  return (
    <label className={styles.search}>
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden>
        <g fill="none" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round">
          <circle cx="8.5" cy="8.5" r="5.5" />
          <path d="M13 13l4 4" />
        </g>
      </svg>
      <input
        ref={field}
        type="search"
        name={name}
        defaultValue={value}
        placeholder={label}
        aria-label={label}
        maxLength={maxLength}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => follow(target.value)}
      />
    </label>
  );
}
