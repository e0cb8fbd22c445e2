import { Link } from '@remix-run/react';
import { useId, type ReactNode } from 'react';
import { count } from '#app/lib/formatters.ts';
import card from '#app/ui/card.module.css';
import chips from '#app/ui/chips.module.css';
import { SearchForm, type SearchFormProps } from '#app/ui/search-field.tsx';
import styles from './list-card.module.css';

interface ListCardProps {
  /** How many rows the list has, even if none: "3 names matching “bank”". Announced when it changes. */
  heading: string;
  /** The list without its filter; null where nothing is filtered. */
  unfilteredHref: string | null;
  /** The form that filters the list. */
  filter?: ReactNode;
  children: ReactNode;
}

/** A list on a card: its filter, its heading, its rows. */
export function ListCard({ heading, unfilteredHref, filter, children }: ListCardProps) {
  const id = useId();
  return (
    <section className={card.padded} aria-labelledby={id}>
      {filter}
      <div className={styles.heading}>
        {/* Around the heading, which would have no name with a status inside. */}
        <div role="status">
          <h2 id={id}>{heading}</h2>
        </div>
        {unfilteredHref !== null && <Link to={unfilteredHref}>Show all</Link>}
      </div>
      {children}
    </section>
  );
}

interface ListWithFormProps {
  /** The form that adds to the list, on its card. */
  form: ReactNode;
  /** The list's cards, one below the other. */
  children: ReactNode;
  /** A secondary card: below the form on a wide screen, below the list on a narrow one. */
  after?: ReactNode;
}

/** A list and the form that adds to it: at the list's right on a wide screen, before it on a narrow one. */
export function ListWithForm({ form, children, after }: ListWithFormProps) {
  return (
    <div className={styles.columns}>
      <div className={styles.form}>{form}</div>
      <div className={styles.list}>{children}</div>
      {after && <div className={styles.after}>{after}</div>}
    </div>
  );
}

interface ListFiltersProps {
  search: SearchFormProps;
  /** What the states are, for screen readers. */
  label: string;
  states: { word: string; rows: number; to: string; chosen: boolean }[];
  /** Choosing a state replaces the entry in the browser's history. */
  replace?: boolean;
}

/** Searches a list, and narrows it to the rows of one state. */
export function ListFilters({ search, label, states, replace }: ListFiltersProps) {
  return (
    <div className={styles.filters}>
      <SearchForm {...search} />
      <ul className={chips.chips} aria-label={label}>
        {states.map(({ word, rows, to, chosen }) => (
          <li key={word}>
            <Link
              className={chips.chip}
              to={to}
              preventScrollReset
              {...(replace && { replace })}
              aria-current={chosen ? 'true' : undefined}
            >
              {word} <span className={chips.count}>{count(rows)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
