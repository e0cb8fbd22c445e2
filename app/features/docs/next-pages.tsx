import { Link } from '@remix-run/react';
import type { PageLink } from './docs-page.ts';
import styles from './next-pages.module.css';

/** Links to the pages before and after the current one. */
export function NextPages({ pages, current }: { pages: PageLink[]; current: string | undefined }) {
  const at = pages.findIndex(({ to }) => to === current);
  if (at < 0) return null;
  const [previous, next] = [pages[at - 1], pages[at + 1]];
  return (
    <nav aria-label="Previous and next page" className={styles.links}>
      {previous && (
        <Link to={previous.to} rel="prev">
          <span>Previous</span> {previous.name}
        </Link>
      )}
      {next && (
        <Link to={next.to} rel="next" className={styles.next}>
          <span>Next</span> {next.name}
        </Link>
      )}
    </nav>
  );
}
