import * as hrefs from '#app/lib/hrefs.ts';
import { Pagination } from '#app/ui/pagination.tsx';
import { SearchForm } from '#app/ui/search-field.tsx';
import type { PeerPage } from '#server/mesh/index.ts';
import { meshHref, SEARCH_MAX, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { keptBesides } from './filters.tsx';
import styles from './mesh-list.module.css';
import { NodeTable } from './node-table.tsx';

/** From this many rows on, the list has its pagination below it, too. */
const LONG_LIST = 20;

/** The nodes that match, in place of the map. Its field filters them; the header's searches the site. */
export function MeshList({ query, peers, page }: PeerPage & { query: MeshQuery }) {
  const hrefOfPage = (number: number) => meshHref({ ...query, page: number });
  const { region, joined } = query;
  const { q: _, ...kept } = keptBesides(query);
  return (
    <section className={styles.list} aria-label="List of nodes">
      <div className={styles.head}>
        <SearchForm
          label="Filter"
          value={query.q}
          maxLength={SEARCH_MAX}
          action={hrefs.map()}
          keep={emptyAsNull({ ...kept, region, joined })}
          href={(q) => meshHref({ ...query, q, page: 1 })}
        />
        <Pagination page={page} href={hrefOfPage} />
      </div>
      {/* The keyboard scrolls it: without this a browser would have to guess. */}
      <div className={styles.rows} role="region" aria-label="Rows" tabIndex={0}>
        {page.total === 0 ? (
          <p className={styles.none}>No matching nodes.</p>
        ) : (
          <NodeTable peers={peers} query={query} />
        )}
        {peers.length > LONG_LIST && <Pagination below page={page} href={hrefOfPage} />}
      </div>
    </section>
  );
}

const emptyAsNull = (values: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value || null]));
