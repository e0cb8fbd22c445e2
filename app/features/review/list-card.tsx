import { Link } from '@remix-run/react';
import { useId, type ReactNode } from 'react';
import card from '#app/ui/card.module.css';
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
