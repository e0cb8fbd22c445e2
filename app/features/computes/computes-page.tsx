import { useLoaderData } from '@remix-run/react';
import { useMemo } from 'react';
import { LivePage } from '#app/features/live/connection-status.tsx';
import { useCompletePage, useComputes } from '#app/features/live/use-live.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import { Command } from '#app/ui/command.tsx';
import { Link } from '#app/ui/link.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { ComputeTable } from './compute-table.tsx';
import type { loadComputes } from './computes-page.server.ts';
import styles from './computes-page.module.css';
import { DirectoryTotals } from './directory-totals.tsx';
import { queryString, unfiltered } from './directory-query.ts';
import { Filters } from './filters.tsx';
import { ResultBar } from './result-bar.tsx';
import { showDirectory } from './select-computes.ts';
import { useDirectoryQuery } from './use-directory-query.ts';
import { useKeptFocus, useRestoredScroll, useVirtualTable } from './use-virtual-table.ts';

/** The compute directory. With scripts one live list has all rows; until they are loaded there are pages. */
export function ComputesPage() {
  const loaded = useLoaderData<typeof loadComputes>();
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
    <LivePage
      connection={connection}
      updatedAt={head.updatedAt}
      title="Compute directory"
      intro="Available capacity by node. Connection details are never listed."
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
    </LivePage>
  );
}

/** Shown while no compute offer is listed: how to announce the first one. */
function EmptyDirectory({ origin, secret, needsName }: Awaited<ReturnType<typeof loadComputes>>) {
  const credential = secret ? ' \\\n  -H "authorization: Bearer $WEBHOOK_SECRET"' : '';
  const command = `curl -X POST ${origin}/api/registry/computes${credential} \\
  -H "content-type: application/json" \\
  -d '{"nodeId":"my_node","computes":[{"name":"fire","image":"alpine:3.20","visibility":"public","replicas":4,"freeSlots":2}]}'`;
  return (
    <section className={`${card.padded} ${styles.empty}`}>
      <h2>No compute offers yet</h2>
      <p>
        Hosts announce their compute offers every minute while they run.{' '}
        {needsName
          ? 'An offer is listed once its name is registered for that node and active.'
          : 'An announced offer is listed right away.'}
      </p>
      <Command
        label="Command that announces a compute offer"
        code={command}
        copyLabel="Copy command"
      />
      <p>
        <Link className={button.button} to={hrefs.docs.operators('announce')}>
          How to announce compute offers
        </Link>
      </p>
    </section>
  );
}
