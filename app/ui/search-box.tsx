import { forwardRef, type ComponentPropsWithoutRef, type ReactNode } from 'react';
import styles from './search-field.module.css';

export interface SearchBoxProps extends ComponentPropsWithoutRef<'input'> {
  label: string;
  /** `FilterIcon` where the field narrows the list below it, and searches nothing else. */
  icon?: ReactNode;
}

/** A search input with its icon. */
export const SearchBox = forwardRef<HTMLInputElement, SearchBoxProps>(function SearchBox(
  { label, icon = <SearchIcon />, className = '', ...input },
  ref,
) {
  return (
    <label className={`${styles.search} ${className}`}>
      {icon}
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

export const SearchIcon = () => (
  <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden>
    <g fill="none" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round">
      <circle cx="8.5" cy="8.5" r="5.5" />
      <path d="M13 13l4 4" />
    </g>
  </svg>
);
