import { useNavigate } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import { useSteadyRows } from '#app/lib/use-steady-rows.ts';
import button from '#app/ui/button.module.css';
import { ChangesButton } from '#app/ui/changes-button.tsx';
import { FilterIcon, SelectChip } from '#app/ui/filter-bar.tsx';
import { DownloadIcon } from '#app/ui/icons.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { SearchForm } from '#app/ui/search-field.tsx';
import { orderIn, orderText } from '#server/common/list-url.schema.ts';
import type { PeerPage } from '#server/mesh/index.ts';
import {
  AS_JOINED,
  isAsJoined,
  meshHref,
  NODE_SORTS,
  nodesSearch,
  SEARCH_MAX,
  type MeshQuery,
} from '#server/mesh/mesh-query.schema.ts';
import { keptBesides } from './filters.tsx';
import styles from './mesh-list.module.css';
import { NodeTable } from './node-table.tsx';

/** From this many rows on, the list has its pagination below it, too. */
const LONG_LIST = 20;

/** The form of the list's field, which the order belongs to where there are no scripts. */
const FORM = 'nodes-filter';

interface MeshListProps extends PeerPage {
  query: MeshQuery;
  /** Names what the page of the list is the answer to. */
  question: string;
}

/** The nodes that match, in place of the map. Its field filters them; the header's searches the site. */
export function MeshList({ query, peers, page, question }: MeshListProps) {
  const hrefOfPage = (number: number) => meshHref({ ...query, page: number });
  const { region, joined } = query;
  // The form has fields for these.
  const { q: _, sort: __, ...kept } = keptBesides(query);
  // A node that is not on this page any more is shown as it was.
  const steady = useSteadyRows(peers, question, unknown);
  return (
    <section className={styles.list} aria-label="List of nodes">
      <div className={styles.head}>
        <SearchForm
          id={FORM}
          label="Filter"
          value={query.q}
          maxLength={SEARCH_MAX}
          icon={<FilterIcon />}
          action={hrefs.map()}
          keep={emptyAsNull({ ...kept, region, joined })}
          href={(q) => meshHref({ ...query, q, page: 1 })}
        />
        <OrderChip query={query} />
        <Pagination page={page} href={hrefOfPage} />
        <a
          className={`${button.button} ${styles.file}`}
          href={hrefs.nodesCsv(nodesSearch(query))}
          download
        >
          <DownloadIcon />
          CSV
        </a>
      </div>
      {/* The keyboard scrolls it: without this a browser would have to guess. */}
      <div className={styles.rows} role="region" aria-label="Rows" tabIndex={0}>
        {page.total === 0 ? (
          <p className={styles.none}>No matching nodes.</p>
        ) : (
          <div {...steady.use}>
            <NodeTable peers={steady.rows} query={query} />
          </div>
        )}
        <ChangesButton {...steady} />
        {peers.length > LONG_LIST && <Pagination below page={page} href={hrefOfPage} />}
      </div>
    </section>
  );
}

const unknown = () => undefined;

const ORDERS: Record<string, string> = {
  '-joined': 'Newest first',
  '-seen': 'Last seen first',
  name: 'By label',
  status: 'By status',
  class: 'By class',
  region: 'By region',
};

/** The order of the list on a phone, where no heads of columns ask for it. */
function OrderChip({ query }: { query: MeshQuery }) {
  const navigate = useNavigate();
  const order = isAsJoined(query) ? null : orderText(query);
  const known = order === null || order in ORDERS;
  return (
    <SelectChip
      className={styles.order}
      name="sort"
      label="Order"
      none="Oldest first"
      form={FORM}
      value={order}
      options={[
        ...Object.entries(ORDERS),
        // One that only a head asks for.
        ...(known
          ? []
          : [[order, `${ORDERS[query.sort] ?? 'Last seen first'}, reversed`] as const]),
      ]}
      onChange={(chosen) =>
        navigate(meshHref({ ...query, ...orderIn(chosen, NODE_SORTS, AS_JOINED.sort), page: 1 }), {
          replace: true,
          preventScrollReset: true,
        })
      }
    />
  );
}

const emptyAsNull = (values: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value || null]));
