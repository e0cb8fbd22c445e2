import type { ReactNode } from 'react';
import { count } from '#app/lib/formatters.ts';
import { Link } from './link.tsx';
import styles from './pagination.module.css';

export interface Page {
  /** From 1. */
  number: number;
  /** Rows on a page. */
  limit: number;
  /** Rows in all. */
  total: number;
}

interface PaginationProps extends Omit<PageLinksProps, 'links' | 'children'> {
  page: Page;
  href: (number: number) => string;
}

/** "101–200 of 10,000" with links to the other pages, which work without scripts. */
export function Pagination({ page, href, ...where }: PaginationProps) {
  const { number, limit, total } = page;
  const pages = Math.max(1, Math.ceil(total / limit));
  const first = (number - 1) * limit + 1;
  const last = number * limit;
  const others = [
    { label: 'First', to: number === 1 ? null : href(1) },
    { label: 'Previous', to: number === 1 ? null : href(number - 1) },
    { label: 'Next', to: number === pages ? null : href(number + 1) },
    { label: 'Last', to: number === pages ? null : href(pages) },
  ];
  return (
    <PageLinks {...where} links={pages > 1 ? others : []}>
      {count(first)}–{count(Math.min(last, total))} of {count(total)}
    </PageLinks>
  );
}

interface PageLinksProps {
  /** Where each leads; null: it is this page, or there is none. */
  links: { label: string; to: string | null }[];
  /** Below the list: landmarks of one page have names of their own. */
  below?: boolean;
  /** The end of a card, below a table that reaches the card's edges. */
  inCard?: boolean;
  /** What this page shows of the list. */
  children?: ReactNode;
}

/** Links to the other pages of a list. */
export function PageLinks({ links, below = false, inCard = false, children }: PageLinksProps) {
  return (
    <nav
      className={`${styles.pagination} ${inCard ? styles.inCard : ''}`}
      aria-label={`Pages of the list${below ? ', below it' : ''}`}
    >
      {children !== undefined && <p>{children}</p>}
      {links.length > 0 && (
        <ul>
          {links.map(({ label, to }) => (
            <li key={label}>{to === null ? <span>{label}</span> : <Link to={to}>{label}</Link>}</li>
          ))}
        </ul>
      )}
    </nav>
  );
}
