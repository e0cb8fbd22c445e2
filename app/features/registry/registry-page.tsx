import { Link, useLoaderData } from '@remix-run/react';
import type { ReactNode } from 'react';
import {
  KIND_FILTERS,
  NOW_FILTERS,
  QUERY_MAX,
  searchHref,
  SORTS,
  type RegistrySearch,
} from '#server/registry/search.schema.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import type { Kind } from '@mesh-registry/protocol/values.schema.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { count } from '#app/lib/formatters.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import chips from '#app/ui/chips.module.css';
import { KindIcon, Kinds } from '#app/ui/kind-icon.tsx';
import { Page } from '#app/ui/page.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { SearchForm } from '#app/ui/search-field.tsx';
import text from '#app/ui/text.module.css';
import { NameTable } from './name-table.tsx';
import styles from './registry-page.module.css';
import type { loadRegistry } from './registry-page.server.ts';

const KIND_LABELS = { any: 'All kinds', node: 'Node', compute: 'Compute offer', both: 'Both' };
const NOW_LABELS = { any: 'Any state', online: 'Node online', available: 'Compute available' };
const SORT_LABELS = { name: 'By name', newest: 'Newest first' };

/** Every active name, with search and filters. */
export function RegistryPage() {
  const loaded = useLoaderData<typeof loadRegistry>();
  const connection = usePageRefresh(loaded);
  const { stats, updatedAt } = loaded;
  return (
    <PageMoment.Provider value={Date.parse(updatedAt)}>
      <Page
        title="Registry"
        intro={
          <>
            {count(stats.active)} active {stats.active === 1 ? 'name' : 'names'} ·{' '}
            {count(stats.nodesOnline)} of {count(stats.nodes)} nodes online ·{' '}
            {count(stats.computesAvailable)} of {count(stats.computes)} compute offers available
          </>
        }
        actions={
          <>
            <a className={button.button} href={hrefs.api.registry()}>
              View as JSON
            </a>
            <a className={button.button} href={hrefs.newNamesFeed()} type="application/atom+xml">
              Atom feed
            </a>
            <a className={button.button} href={hrefs.api.registry()} download="registry.json">
              Download
            </a>
          </>
        }
        live={<ConnectionStatus connection={connection} renderedAt={updatedAt} />}
      >
        {stats.active === 0 ? (
          <NoNames />
        ) : (
          <>
            {isUnfiltered(loaded.search) && <NewNames names={loaded.newest} />}
            <Names loaded={loaded} />
          </>
        )}
      </Page>
    </PageMoment.Provider>
  );
}

/** The newest names are shown apart from this many on: with fewer, the list itself is short. */
const NEW_NAMES_FROM = 6;

/** The names that were activated last, newest first. */
function NewNames({ names }: { names: RegistryEntry[] }) {
  if (names.length < NEW_NAMES_FROM) return null;
  return (
    <Panel title="New names" className={styles.newNames}>
      <ul>
        {names.map(({ name, kinds, activatedAt }) => (
          <li key={name}>
            <Kinds kinds={kinds} />
            <Link to={hrefs.name(name)}>{name}</Link>
            <span className={text.secondary}>
              <RelativeTime at={activatedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

type Loaded = ReturnType<typeof useLoaderData<typeof loadRegistry>>;

function Names({ loaded: { search, stats, counts, page, rows } }: { loaded: Loaded }) {
  const href = (change: Partial<RegistrySearch>) => searchHref({ ...search, page: 1, ...change });
  return (
    <div className={card.card}>
      <div className={styles.filters}>
        <SearchForm
          action={hrefs.registry()}
          label="Search name, label or node ID"
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
              label={SORT_LABELS[sort]}
            />
          ))}
        </Chips>
        <Chips label="Kinds">
          {([null, ...KIND_FILTERS] as const).map((kind) => (
            <Chip
              key={kind}
              to={href({ kind })}
              chosen={search.kind === kind}
              label={KIND_LABELS[kind ?? 'any']}
              icons={kind === 'both' ? ['node', 'compute'] : kind === null ? [] : [kind]}
              n={counts.kind[kind ?? 'any']}
            />
          ))}
        </Chips>
        <Chips label="State">
          {([null, ...NOW_FILTERS] as const).map((now) => (
            <Chip
              key={now}
              to={href({ now })}
              chosen={search.now === now}
              label={NOW_LABELS[now ?? 'any']}
              n={counts.now[now ?? 'any']}
            />
          ))}
        </Chips>
      </div>
      <p className="visually-hidden" role="status">
        {count(page.total)} {page.total === 1 ? 'name' : 'names'} shown
      </p>
      {page.total === 0 ? (
        <p className={styles.none}>
          No matching names. <Link to={hrefs.registry()}>Show all {count(stats.active)}</Link>
          {search.q !== '' && (
            <>
              , or check whether <Link to={hrefs.name(search.q)}>{search.q}</Link> is available
            </>
          )}
          .
        </p>
      ) : (
        <>
          <NameTable rows={rows} />
          <div className={styles.pages}>
            <Pagination page={page} href={(number) => href({ page: number })} />
          </div>
        </>
      )}
    </div>
  );
}

/** Whether nothing narrows or reorders the list: its first page, as it opens. */
const isUnfiltered = ({ q, kind, now, sort, page }: RegistrySearch) =>
  q === '' && kind === null && now === null && sort === 'name' && page === 1;

const Chips = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={chips.chips} aria-label={label}>
    {children}
  </ul>
);

function Chip({
  to,
  chosen,
  label,
  icons = [],
  n,
}: {
  to: string;
  chosen: boolean;
  label: string;
  icons?: readonly Kind[];
  n?: number;
}) {
  return (
    <li>
      <Link
        className={chips.chip}
        to={to}
        preventScrollReset
        replace
        aria-current={chosen ? 'true' : undefined}
      >
        {icons.map((kind) => (
          <KindIcon key={kind} kind={kind} />
        ))}
        {label}
        {n !== undefined && <span className={chips.count}> {count(n)}</span>}
      </Link>
    </li>
  );
}

function NoNames() {
  return (
    <div className={`${card.padded} ${styles.empty}`}>
      <h2>No active names yet</h2>
      <p>
        A node’s operator registers a name and pays for it, and a reviewer activates it. Sending
        heartbeats doesn’t register a name.
      </p>
      <ul className={chips.chips}>
        <li>
          <Link className={button.primary} to={hrefs.register()}>
            Register the first name
          </Link>
        </li>
        <li>
          <Link className={button.button} to={hrefs.docs.operators('register')}>
            How it works
          </Link>
        </li>
      </ul>
    </div>
  );
}
