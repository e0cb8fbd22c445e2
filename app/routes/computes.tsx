import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useMemo } from 'react';
import { PageMoment } from '#app/lib/clock.ts';
import { ApiCall } from '#app/features/computes/api-call.tsx';
import { ComputeTable } from '#app/features/computes/compute-table.tsx';
import { EmptyComputes } from '#app/features/computes/empty-computes.tsx';
import { Filters } from '#app/features/computes/filters.tsx';
import { DirectoryTotals } from '#app/features/computes/totals.tsx';
import { useDirectoryQuery } from '#app/features/computes/use-directory-query.ts';
import { useScrollMemory } from '#app/features/computes/use-scroll-memory.ts';
import { useCompletePage } from '#app/features/live/complete-page.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { Menu } from '#app/ui/menu.tsx';
import { Page } from '#app/ui/page.tsx';
import { Pagination, type Page as PageOfList } from '#app/ui/pagination.tsx';
import { useComputes } from '#app/features/live/use-live.ts';
import {
  PAGE_ROWS,
  parseQuery,
  queryString,
  select,
  totalsOf,
  unfiltered,
  type DirectoryQuery,
  type Totals,
} from '#app/features/computes/query.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import { pageMeta } from '#app/lib/page-meta.ts';
import type { Compute, ComputesHead } from '#server/computes/computes.schema.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  pageMeta(
    'Compute directory',
    'Available compute in the network: offers with their free slots, image, class and node, live.',
    data && `${data.origin}/computes`,
  );

export function loader({ request, context }: LoaderFunctionArgs) {
  const { services, origin } = context;
  const query = parseQuery(new URL(request.url).searchParams);
  // First the position, then the list: the stream continues from there and misses nothing.
  const cursor = services.computes.cursor();
  const { head, computes } = services.computes.list();
  const { rows, ...rest } = shown(computes, query);
  const page = pageOf(query.page, rows.length);
  const first = (page.number - 1) * page.limit;
  return {
    cursor,
    head,
    ...rest,
    page,
    /** Index in the list of the page's first row, from 0. */
    first,
    rows: rows.slice(first, first + page.limit),
    origin: origin(),
    secret: services.config.webhookSecrets.length > 0,
    needsName: services.config.computeListing === 'activated',
  };
}

export { unlessComplete as shouldRevalidate } from '#app/features/live/complete-page.ts';

/** The page that was asked for, or the last one. */
function pageOf(asked: number, total: number): PageOfList {
  const pages = Math.max(1, Math.ceil(total / PAGE_ROWS));
  return { number: Math.min(asked, pages), limit: PAGE_ROWS, total };
}

/** What the page shows: the same on the server and in the browser. */
function shown(computes: Iterable<Compute>, query: DirectoryQuery) {
  const { rows, facets } = select(computes, query);
  return { totals: totalsOf(computes), found: totalsOf(rows), facets, rows };
}

export default function ComputesPage() {
  const loaded = useLoaderData<typeof loader>();
  const { head, origin } = loaded;
  const { rows: all, connection } = useComputes(loaded);
  const { query, ...form } = useDirectoryQuery();
  const { totals, found, facets, rows } = useMemo(
    () => (all ? shown(all, query) : loaded),
    [all, query, loaded],
  );
  // With scripts one list holds all rows; without, or until they are loaded, there are pages.
  const page = all ? null : loaded.page;

  useCompletePage(all !== null);
  useScrollMemory(all !== null);

  const search = queryString({ ...query, page: 1 });
  return (
    <PageMoment.Provider value={Date.parse(head.updatedAt)}>
      <Page
        title="Compute directory"
        intro="Available capacity by node. Connection details are never listed."
        className="directory"
        live={<ConnectionStatus connection={connection} renderedAt={head.updatedAt} />}
        actions={
          <>
            <Menu label="API call">
              <ApiCall query={query} origin={origin} />
            </Menu>
            <Menu label="Download">
              <p className="secondary">{offers(found.total)}, current state</p>
              <a className="button" href={`/computes.csv${search}`} download>
                CSV
              </a>
              <a className="button" href={`/computes.json${search}`} download>
                JSON
              </a>
            </Menu>
          </>
        }
      >
        {totals.total === 0 ? (
          <EmptyComputes {...loaded} />
        ) : (
          <>
            <DirectoryTotals totals={totals} />
            <div className="directory-list card">
              <Filters query={query} facets={facets} {...form}>
                <Found found={found} totals={totals} query={query} />
              </Filters>
              {found.total > 0 ? (
                <ComputeTable
                  rows={rows}
                  first={page ? loaded.first : 0}
                  total={found.total}
                  query={query}
                  virtual={page === null}
                />
              ) : (
                <p className="nothing-found">
                  No matching compute offers. Remove a filter, or{' '}
                  <Link to={{ search: queryString(unfiltered(query)) }}>clear all filters</Link>.
                </p>
              )}
            </div>
            {page && page.total > page.limit && (
              <Pagination
                page={page}
                href={(number) => `/computes${queryString({ ...query, page: number })}`}
              />
            )}
          </>
        )}
      </Page>
    </PageMoment.Provider>
  );
}

interface FoundProps {
  found: Totals;
  totals: ComputesHead['stats'];
  query: DirectoryQuery;
}

/** How many match the filters. */
function Found({ found, totals, query }: FoundProps) {
  const clear = queryString(unfiltered(query));
  return (
    <p className="found">
      <span aria-live="polite">
        {found.total === totals.total
          ? offers(found.total)
          : `${count(found.total)} of ${offers(totals.total)}`}
      </span>
      {found.total !== totals.total && (
        <span>
          on {nodes(found.nodes)}, {count(found.freeSlots)} free
        </span>
      )}
      {clear !== queryString({ ...query, page: 1 }) && (
        <Link to={{ search: clear }} preventScrollReset>
          Clear filters
        </Link>
      )}
    </p>
  );
}

const offers = (n: number) => `${count(n)} ${n === 1 ? 'compute offer' : 'compute offers'}`;
