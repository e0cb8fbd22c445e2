import { useLoaderData } from '@remix-run/react';
import { useCallback, useDeferredValue, useMemo, type FocusEvent } from 'react';
import { LivePage } from '#app/features/live/connection-status.tsx';
import { useCompletePage, useComputes } from '#app/features/live/use-live.ts';
import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, counted, nodes } from '#app/lib/formatters.ts';
import { useSteadyRows } from '#app/lib/use-steady-rows.ts';
import button from '#app/ui/button.module.css';
import { ChangesButton } from '#app/ui/changes-button.tsx';
import { Command } from '#app/ui/command.tsx';
import { Link } from '#app/ui/link.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { SecretNote } from '#app/ui/secret-note.tsx';
import { Term } from '#app/ui/term.tsx';
import { ComputeTable } from './compute-table.tsx';
import type { loadComputes } from './computes-page.server.ts';
import styles from './computes-page.module.css';
import { queryString, unfiltered, type DirectoryQuery } from './directory-query.ts';
import { Exports } from './exports.tsx';
import { Filters } from './filters.tsx';
import { showDirectory, type Totals } from './select-computes.ts';
import { ComparisonContext, useComparisonInUrl } from './use-comparison.ts';
import { CompareTray } from './compare-tray.tsx';
import { useDirectoryQuery } from './use-directory-query.ts';
import { useOfferNodes } from './use-offer-nodes.ts';
import { useKeptFocus, useRestoredScroll, useVirtualTable } from './use-virtual-table.ts';

/** Lists with more rows than this render only those in view. */
const VIRTUAL_FROM = 200;

/** The compute directory. With scripts one live list has all rows; until they are loaded there are pages. */
export function ComputesPage() {
  const loaded = useLoaderData<typeof loadComputes>();
  const { head, origin, page } = loaded;
  const { rows: liveRows, connection, store } = useComputes(loaded);
  const { nodeOf, complete } = useOfferNodes(loaded.nodes);
  const isLong = (liveRows?.length ?? head.stats.total) > VIRTUAL_FROM;
  const virtual = useVirtualTable(isLong);
  const kept = useRenderedRows(liveRows, loaded.rows);
  // The other rows are rendered when the browser has time: on a slow phone they are half a second of work.
  const all = useDeferredValue(complete && (virtual || !isLong) ? kept : null);
  const { query, ...form } = useDirectoryQuery();
  const { totals, found, facets, rows } = useMemo(
    () => (all ? showDirectory(all, query, nodeOf) : loaded),
    [all, query, nodeOf, loaded],
  );
  const current = useCallback((id: string) => store.row(id), [store]);
  const steady = useSteadyRows(rows, `${all !== null} ${queryString(query)}`, current);
  const comparison = useComparisonInUrl(query, loaded.needsName);
  const { onFocus, onBlur, ...focusKeeper } = useKeptFocus(all !== null);

  useCompletePage(all !== null);
  useRestoredScroll(all !== null);

  const exports = <Exports offers={found.total} query={query} origin={origin} />;
  return (
    <LivePage
      connection={connection}
      updatedAt={head.updatedAt}
      title="Compute directory"
      intro={totals.total === 0 ? INTRO : <Intro totals={totals} />}
      actions={totals.total > 0 && <div data-wide>{exports}</div>}
    >
      {totals.total === 0 ? (
        <EmptyDirectory {...loaded} />
      ) : (
        <ComparisonContext.Provider value={comparison}>
          <Filters query={query} facets={facets} found={found} {...form} />
          <Found found={found} totals={totals} query={query} />
          {found.total === 0 && steady.rows.length === 0 ? (
            <p className={styles.none}>
              No matching compute offers.{' '}
              <Link to={{ search: queryString(unfiltered(query)) }} replace preventScrollReset>
                Remove filters
              </Link>
            </p>
          ) : (
            <div
              {...focusKeeper}
              {...steady.use}
              onFocus={(event: FocusEvent) => {
                onFocus(event);
                steady.use.onFocus();
              }}
              onBlur={(event: FocusEvent<HTMLElement>) => {
                onBlur();
                steady.use.onBlur(event);
              }}
            >
              {virtual && all && isLong ? (
                <virtual.VirtualComputeTable rows={steady.rows} nodeOf={nodeOf} query={query} />
              ) : (
                <ComputeTable
                  rows={all ? steady.rows : rows}
                  nodeOf={nodeOf}
                  first={all ? 0 : loaded.first}
                  total={found.total}
                  query={query}
                />
              )}
            </div>
          )}
          <ChangesButton {...steady} />
          {!all && page.total > page.limit && (
            <div className={styles.pages}>
              <Pagination
                page={page}
                href={(number) => hrefs.computes(queryString({ ...query, page: number }))}
              />
            </div>
          )}
          <p className={styles.terms}>
            <Term id="class" /> <Term id="backend" /> <Term id="replica" /> <Term id="public" />{' '}
            <Term id="private" />
          </p>
          <div className={styles.narrow}>{exports}</div>
          <CompareTray query={query} />
        </ComparisonContext.Provider>
      )}
    </LivePage>
  );
}

/** All rows, with those that the server rendered as they are unless they have changed: the same objects aren't rendered again. */
function useRenderedRows(rows: readonly Compute[] | null, rendered: Compute[]) {
  return useMemo(() => {
    const byId = new Map(rendered.map((row) => [row.id, row]));
    return rows && rows.map((row) => sameRow(byId.get(row.id), row));
  }, [rows, rendered]);
}

const sameRow = (before: Compute | undefined, now: Compute): Compute =>
  before && JSON.stringify(before) === JSON.stringify(now) ? before : now;

const INTRO = 'Available capacity by node. Connection details are never listed.';

/** Totals of the whole directory, whatever the filters. */
const Intro = ({ totals: { total, nodes: hosts, freeSlots } }: { totals: Totals }) => (
  <>
    {counted(total, 'offer')} on {nodes(hosts)}, {count(freeSlots)}{' '}
    <Term id="slot">{freeSlots === 1 ? 'slot' : 'slots'}</Term> free. Connection details are never
    listed.
  </>
);

interface FoundProps {
  /** Totals of the matching compute offers, and of all. */
  found: Totals;
  totals: Totals;
  query: DirectoryQuery;
}

/** How many offers match, where filters are set. Takes no room otherwise. */
function Found({ found, totals, query }: FoundProps) {
  const clear = queryString(unfiltered(query));
  const isFiltered = clear !== queryString({ ...query, page: 1 });
  return (
    <div className={styles.found}>
      <p aria-live="polite">
        {isFiltered &&
          `${count(found.total)} of ${counted(totals.total, 'offer')}${
            found.total > 0 ? `, ${count(found.freeSlots)} free` : ''
          }`}
      </p>
      {isFiltered && found.total > 0 && (
        <Link to={{ search: clear }} replace preventScrollReset>
          Remove filters
        </Link>
      )}
    </div>
  );
}

/** Shown while no compute offer is listed: how to announce the first one. */
function EmptyDirectory({ origin, secret, needsName }: Awaited<ReturnType<typeof loadComputes>>) {
  const credential = secret ? ' \\\n  -H "authorization: Bearer $WEBHOOK_SECRET"' : '';
  const command = `curl -X POST ${origin}/api/registry/computes${credential} \\
  -H "content-type: application/json" \\
  -d '{"nodeId":"my_node","computes":[{"name":"fire","image":"alpine:3.20","visibility":"public","replicas":4,"freeSlots":2}]}'`;
  return (
    <section className={styles.empty} aria-labelledby="no-offers">
      <h2 id="no-offers">No compute offers yet</h2>
      <p>
        Hosts announce their compute offers every minute while they run.{' '}
        {needsName
          ? 'An offer is listed once its name is registered for that node and active.'
          : 'An announced offer is listed right away.'}
      </p>
      <SecretNote />
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
