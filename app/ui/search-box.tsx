import { forwardRef, type ComponentPropsWithoutRef } from 'react';
import styles from './search-field.module.css';

export interface SearchBoxProps extends ComponentPropsWithoutRef<'input'> {
  label: string;
  /** The field narrows the list below it, and searches nothing else. */
  filters?: boolean;
}

/** A search input with its icon, on top of the list that it searches. */
export const SearchBox = forwardRef<HTMLInputElement, SearchBoxProps>(function SearchBox(
  { label, filters = false, ...input },
  ref,
) {
  return (
    <label className={styles.search}>
      {filters ? <FilterIcon /> : <SearchIcon />}
      <input
        ref={ref}
        type="search"
        placeholder={label}
        aria-label={label}
        autoComplete="off"
        spellCheck={false}
        {...input}
      />
    </label>
  );
});

const FilterIcon = () => (
  <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden>
    <path
      d="M3.5 6h13M6 10h8M8.5 14h3"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
    />
  </svg>
);

export const SearchIcon = () => (
  <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden>
    <g fill="none" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round">
      <circle cx="8.5" cy="8.5" r="5.5" />
      <path d="M13 13l4 4" />
    </g>
  </svg>
);
