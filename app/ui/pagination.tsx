import { Link } from '@remix-run/react';
import { count } from '#app/lib/formatters.ts';

export interface Page {
  /** From 1. */
  number: number;
  /** Rows on a page. */
  limit: number;
  /** Rows in all. */
  total: number;
}

/** "101–200 of 10,000", and the ways to the other pages: links, so that they work without JavaScript. */
export function Pager({
  page,
  href,
  below = false,
}: {
  page: Page;
  href: (number: number) => string;
  /** Below the list: landmarks of one page have names of their own. */
  below?: boolean;
}) {
  const { number, limit, total } = page;
  const pages = Math.max(1, Math.ceil(total / limit));
  const first = (number - 1) * limit + 1;
  return (
    <nav className="pager" aria-label={`Pages of the list${below ? ', below it' : ''}`}>
      <p>
        {count(first)}–{count(Math.min(number * limit, total))} of {count(total)}
      </p>
      {pages > 1 && (
        <ul>
          {[
            { label: 'First', to: 1, there: number === 1 },
            { label: 'Previous', to: number - 1, there: number === 1 },
            { label: 'Next', to: number + 1, there: number === pages },
            { label: 'Last', to: pages, there: number === pages },
          ].map(({ label, to, there }) => (
            <li key={label}>{there ? <span>{label}</span> : <Link to={href(to)}>{label}</Link>}</li>
          ))}
        </ul>
      )}
    </nav>
  );
}
