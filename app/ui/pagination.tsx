import { Link } from '@remix-run/react';
import styles from './pagination.module.css';
import { count } from '#app/lib/formatters.ts';

export interface Page {
  /** From 1. */
  number: number;
  /** Rows on a page. */
  limit: number;
  /** Rows in all. */
  total: number;
}

/** "101–200 of 10,000" with links to the other pages, which work without scripts. */
export function Pagination({
  page,
  href,
  below = false,
  inCard = false,
}: {
  page: Page;
  href: (number: number) => string;
  /** Below the list: landmarks of one page have names of their own. */
  below?: boolean;
  /** The end of a card, below a table that reaches the card's edges. */
  inCard?: boolean;
}) {
  const { number, limit, total } = page;
  const pages = Math.max(1, Math.ceil(total / limit));
  const first = (number - 1) * limit + 1;
  return (
    <nav
      className={`${styles.pagination} ${inCard ? styles.inCard : ''}`}
      aria-label={`Pages of the list${below ? ', below it' : ''}`}
    >
      <p>
        {count(first)}–{count(Math.min(number * limit, total))} of {count(total)}
      </p>
      {pages > 1 && (
        <ul>
          {[
            { label: 'First', to: 1, disabled: number === 1 },
            { label: 'Previous', to: number - 1, disabled: number === 1 },
            { label: 'Next', to: number + 1, disabled: number === pages },
            { label: 'Last', to: pages, disabled: number === pages },
          ].map(({ label, to, disabled }) => (
            <li key={label}>
              {disabled ? <span>{label}</span> : <Link to={href(to)}>{label}</Link>}
            </li>
          ))}
        </ul>
      )}
    </nav>
  );
}
