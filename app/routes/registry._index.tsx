import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import type { ReactNode } from 'react';
import {
  KIND_FILTERS,
  NOW_FILTERS,
  QUERY_MAX,
  readSearch,
  searchHref,
  SORTS,
  type RegistrySearch,
} from '#server/registry/search.schema.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { NameTable } from '#app/features/registry/name-table.tsx';
import { Page } from '#app/ui/page.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { SearchForm } from '#app/ui/search-form.tsx';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { count } from '#app/lib/formatters.ts';
import { pageMeta } from '#app/lib/page-meta.ts';

export function loader({ request, context: { services, origin } }: LoaderFunctionArgs) {
  const search = readSearch(new URL(request.url).searchParams);
  return { ...services.registry.search(search), search, origin: origin() };
}
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  pageMeta(
    'Registry',
    'Every active name of the mesh: its node, its compute, and whether they are there now.',
    data && `${data.origin}/registry`,
  );

const KIND_WORDS = { any: 'All kinds', node: 'Node', compute: 'Compute', both: 'Both' };
const NOW_WORDS = { any: 'Any state', online: 'Node online', available: 'Compute available' };
const SORT_WORDS = { name: 'By name', newest: 'Newest first' };

export default function Registry() {
  const loaded = useLoaderData<typeof loader>();
  const connection = usePageRefresh(loaded);
  const { search, stats, counts, page, entries } = loaded;
  const href = (change: Partial<RegistrySearch>) => searchHref({ ...search, page: 1, ...change });
  const toPage = (number: number) => href({ page: number });

  return (
    <PageMoment.Provider value={Date.parse(loaded.updatedAt)}>
      <Page
        className="registry"
        title="Registry"
        intro={
          <>
            {count(stats.active)} active {stats.active === 1 ? 'name' : 'names'} ·{' '}
            {count(stats.nodesOnline)} of {count(stats.nodes)} nodes online ·{' '}
            {count(stats.computesAvailable)} of {count(stats.computes)} computes available
          </>
        }
        actions={
          <>
            <a className="button" href="/api/registry">
              API call
            </a>
            <a className="button" href="/api/registry" download="registry.json">
              Download
            </a>
          </>
        }
        live={<ConnectionStatus connection={connection} madeAt={loaded.updatedAt} />}
      >
        {stats.active === 0 ? (
          <NoNames />
        ) : (
          <div className="card">
            <div className="registry-filters">
              <SearchForm
                action="/registry"
                label="Search name, label or node id"
                value={search.q}
                maxLength={QUERY_MAX}
                keep={{
                  kind: search.kind,
                  now: search.now,
                  sort: search.sort === 'name' ? null : search.sort,
                }}
                href={(q) => searchHref({ ...search, q, page: 1 })}
              />
              <Chips label="Order">
                {SORTS.map((sort) => (
                  <Chip
                    key={sort}
                    to={href({ sort })}
                    chosen={search.sort === sort}
                    word={SORT_WORDS[sort]}
                  />
                ))}
              </Chips>
              <Chips label="Kinds">
                {([null, ...KIND_FILTERS] as const).map((kind) => (
                  <Chip
                    key={kind}
                    to={href({ kind })}
                    chosen={search.kind === kind}
                    word={KIND_WORDS[kind ?? 'any']}
                    n={counts.kind[kind ?? 'any']}
                  />
                ))}
              </Chips>
              <Chips label="There now">
                {([null, ...NOW_FILTERS] as const).map((now) => (
                  <Chip
                    key={now}
                    to={href({ now })}
                    chosen={search.now === now}
                    word={NOW_WORDS[now ?? 'any']}
                    n={counts.now[now ?? 'any']}
                  />
                ))}
              </Chips>
            </div>
            <p className="visually-hidden" role="status">
              {count(page.total)} {page.total === 1 ? 'name' : 'names'} shown
            </p>
            {page.total === 0 ? (
              <p className="registry-none">
                No active name fits. <Link to="/registry">Show all {count(stats.active)}</Link>
                {search.q !== '' && (
                  <>
                    , or see whether{' '}
                    <Link to={`/registry/${encodeURIComponent(search.q)}`}>{search.q}</Link> is free
                  </>
                )}
                .
              </p>
            ) : (
              <>
                <NameTable entries={entries} />
                <div className="registry-pager">
                  <Pagination page={page} href={toPage} />
                </div>
              </>
            )}
          </div>
        )}
      </Page>
    </PageMoment.Provider>
  );
}

function Chips({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className="chips" aria-label={label}>
      {children}
    </ul>
  );
}

function Chip(props: { to: string; chosen: boolean; word: string; n?: number }) {
  const { to, chosen, word, n } = props;
  return (
    <li>
      <Link
        className="chip"
        to={to}
        preventScrollReset
        replace
        aria-current={chosen ? 'true' : undefined}
      >
        {word}
        {n !== undefined && ` ${count(n)}`}
      </Link>
    </li>
  );
}

function NoNames() {
  return (
    <div className="card registry-empty">
      <h2>No name is active yet</h2>
      <p>
        A name is registered by the operator of a node, paid for, and activated by a reviewer. A
        heartbeat alone does not register one.
      </p>
      <ul className="chips">
        <li>
          <Link className="button primary" to="/register">
            Register the first one
          </Link>
        </li>
        <li>
          <Link className="button" to="/docs/operators#register">
            How it works
          </Link>
        </li>
      </ul>
    </div>
  );
}
