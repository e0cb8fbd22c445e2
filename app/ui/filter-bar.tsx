import type { LinkProps } from '@remix-run/react';
import { useEffect, useRef, type ReactNode } from 'react';
import { count as formatted } from '#app/lib/formatters.ts';
import chips from './chips.module.css';
import styles from './filter-bar.module.css';
import { LineIcon } from './icons.tsx';
import { Link } from './link.tsx';

/** What narrows a list, on one line above it: a field, chips, and choices at the right. */
export const FilterBar = ({ children }: { children: ReactNode }) => (
  <div className={styles.bar}>{children}</div>
);

/** Chips of one kind. @param label what they choose, for screen readers */
export const ChipGroup = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={chips.chips} aria-label={label}>
    {children}
  </ul>
);

interface ChipProps {
  /** The list with this choice, or without it. */
  to: LinkProps['to'];
  chosen: boolean;
  /** How many rows it would show. */
  count?: number | undefined;
  icon?: ReactNode;
  children: ReactNode;
}

/** One choice of a group: a link, so that it works without scripts. It replaces the address. */
export const Chip = ({ to, chosen, count, icon, children }: ChipProps) => (
  <li>
    <Link
      className={chips.chip}
      to={to}
      replace
      preventScrollReset
      aria-current={chosen ? 'true' : undefined}
    >
      {icon}
      {children}
      {count !== undefined && <span className={chips.count}> {formatted(count)}</span>}
    </Link>
  </li>
);

interface SelectChipProps<T extends string> {
  name: string;
  label: string;
  /** The text of none; by default the label. */
  none?: string;
  /** The chosen option; null for none. */
  value: T | null;
  /** Values with their texts. */
  options: readonly (readonly [T, string])[];
  /** The form that sends it where there are no scripts. */
  form?: string;
  className?: string | undefined;
  /** Left out in a form that is read as a whole, which knows what was chosen before the scripts came. */
  onChange?: (value: T | null) => void;
}

/** One choice of many, in the shape of a chip. Its first option is none. */
export function SelectChip<T extends string>(props: SelectChipProps<T>) {
  const { name, label, none = label, value, options, form, className = '', onChange } = props;
  const select = useRef<HTMLSelectElement>(null);
  const before = useRef(onChange ? undefined : value);
  // The URL changes it as well, by the Back button or "Clear filters". It stays the same element and so keeps the focus.
  useEffect(() => {
    if (select.current && before.current !== value) select.current.value = value ?? '';
    before.current = value;
  }, [value]);
  return (
    <span
      className={`${chips.chip} ${styles.choice} ${className}`}
      data-chosen={value !== null || undefined}
    >
      <select
        ref={select}
        form={form}
        name={name}
        defaultValue={value ?? ''}
        aria-label={label}
        onChange={({ target }) => onChange?.(target.value === '' ? null : (target.value as T))}
      >
        <option value="">{none}</option>
        {options.map(([option, text]) => (
          // The server and the browser may know a country by different names.
          <option key={option} value={option} suppressHydrationWarning>
            {text}
          </option>
        ))}
      </select>
      <LineIcon path="M5 8l5 5l5-5" size={14} />
    </span>
  );
}

/** The sign of a list's own field, which is not that of the search across the site. */
export const FilterIcon = () => <LineIcon path="M3 6h14M6 10h8M8.5 14h3" size={18} />;
