import { Link, useLoaderData } from '@remix-run/react';
import { useMemo } from 'react';
import { useCompletePage } from '#app/features/live/complete-page.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { useComputes } from '#app/features/live/use-live.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { PageMoment } from '#app/lib/clock.ts';
import type { loader } from '#app/routes/computes.tsx';
import card from '#app/ui/card.module.css';
import { Page } from '#app/ui/page.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { ComputeTable } from './compute-table.tsx';
import styles from './computes-page.module.css';
import { DirectoryTotals } from './directory-totals.tsx';
import { queryString, unfiltered } from './directory-query.ts';
import { EmptyDirectory } from './empty-directory.tsx';
import { Filters } from './filters.tsx';
import { ResultBar } from './result-bar.tsx';
import { showDirectory } from './select-computes.ts';
import { useDirectoryQuery } from './use-directory-query.ts';
import { useRestoredScroll } from './use-restored-scroll.ts';
import { useKeptFocus, useVirtualTable } from './use-virtual-table.ts';

/** The compute directory. With scripts one live list has all rows; until they are loaded there are pages. */
export function ComputesPage() {
  const loaded = useLoaderData<typeof loader>();
  const { head, origin } = loaded;
  const { rows: liveRows, connection } = useComputes(loaded);
  const virtual = useVirtualTable();
  const all = virtual && liveRows;
  const { query, ...form } = useDirectoryQuery();
  const { totals, found, facets, rows } = useMemo(
    () => (all ? showDirectory(all, query) : loaded),
    [all, query, loaded],
  );
  const { page } = loaded;
  const focusKeeper = useKeptFocus(all !== null);

  useCompletePage(all !== null);
  useRestoredScroll(all !== null);

  return (
    <PageMoment.Provider value={Date.parse(head.updatedAt)}>
      <Page
        title="Compute directory"
        intro="Available capacity by node. Connection details are never listed."
        live={<ConnectionStatus connection={connection} renderedAt={head.updatedAt} />}
        className={styles.page}
      >
        {totals.total === 0 ? (
          <EmptyDirectory {...loaded} />
        ) : (
          <>
            <DirectoryTotals totals={totals} />
            <div className={card.card}>
              <Filters query={query} facets={facets} {...form} />
              <ResultBar found={found} total={totals.total} query={query} origin={origin} />
              {found.total === 0 ? (
                <p className={styles.none}>
                  No matching compute offers. Remove a filter, or{' '}
                  <Link to={{ search: queryString(unfiltered(query)) }}>clear all filters</Link>.
                </p>
              ) : (
                <div {...focusKeeper}>
                  {all ? (
                    <virtual.VirtualComputeTable rows={rows} query={query} />
                  ) : (
                    <ComputeTable
                      rows={rows}
                      first={loaded.first}
                      total={found.total}
                      query={query}
                    />
                  )}
                </div>
              )}
              {!all && page.total > page.limit && (
                <div className={styles.pages}>
                  <Pagination
                    page={page}
                    href={(number) => hrefs.computes(queryString({ ...query, page: number }))}
                  />
                </div>
              )}
            </div>
          </>
        )}
      </Page>
    </PageMoment.Provider>
  );
}
