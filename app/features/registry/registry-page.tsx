import { useLoaderData } from '@remix-run/react';
import {
  QUERY_MAX,
  searchHref,
  sortParameter,
  type KindFilter,
  type RegistrySearch,
} from '#server/registry/search.schema.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import type { Kind } from '@mesh-registry/protocol/values.schema.ts';
import { LivePage } from '#app/features/live/connection-status.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, counted } from '#app/lib/formatters.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import chips from '#app/ui/chips.module.css';
import { DataTable } from '#app/ui/data-table.tsx';
import { Chip, ChipGroup, FilterBar } from '#app/ui/filter-bar.tsx';
import { KindIcon, Kinds } from '#app/ui/kind-icon.tsx';
import { Link } from '#app/ui/link.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { SearchForm } from '#app/ui/search-field.tsx';
import text from '#app/ui/text.module.css';
import { NAME_COLUMNS } from './name-table.tsx';
import styles from './registry-page.module.css';
import type { loadRegistry } from './registry-page.server.ts';

/** What can be chosen, in order. `any` is no filter. */
const KIND_LABELS: Record<KindFilter | 'any', string> = {
  any: 'All kinds',
  node: 'Node',
  compute: 'Compute offer',
  both: 'Both',
};
const KIND_ICONS = { node: ['node'], compute: ['compute'], both: ['node', 'compute'] } as const;
const NOW_LABELS = { any: 'Any state', online: 'Node online', available: 'Compute available' };
const SORT_LABELS = { name: 'By name', '-since': 'Newest first' };

/** Every active name, with search and filters. */
export function RegistryPage() {
  const loaded = useLoaderData<typeof loadRegistry>();
  const connection = usePageRefresh(loaded);
  const { stats, updatedAt } = loaded;
  // Its first page, as it opens: what narrows or reorders the list would be in the URL.
  const isUnfiltered = searchHref(loaded.search) === hrefs.registry();
  return (
    <LivePage
      connection={connection}
      updatedAt={updatedAt}
      title="Registry"
      intro={`${counted(stats.active, 'active name')} · ${count(stats.nodesOnline)} of ${count(stats.nodes)} nodes online · ${count(stats.computesAvailable)} of ${count(stats.computes)} compute offers available`}
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
    >
      {stats.active === 0 ? (
        <NoNames />
      ) : (
        <>
          {isUnfiltered && <NewNames names={loaded.newest} />}
          <Names loaded={loaded} />
        </>
      )}
    </LivePage>
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
    <div>
      <FilterBar>
        <SearchForm
          action={hrefs.registry()}
          label="Search name, label or node ID"
          value={search.q}
          maxLength={QUERY_MAX}
          keep={{
            kind: search.kind,
            status: search.status,
            free: search.free ? '1' : null,
            region: search.region,
            sort: sortParameter(search),
          }}
          href={(q) => href({ q })}
        />
        <Chips
          label="Order"
          labels={SORT_LABELS}
          chosen={search.sort === 'since' ? '-since' : 'name'}
          href={(sort) =>
            href(
              sort === 'name' ? { sort, descending: false } : { sort: 'since', descending: true },
            )
          }
        />
        <Chips
          label="Kinds"
          labels={KIND_LABELS}
          icons={KIND_ICONS}
          counts={counts.kind}
          chosen={search.kind ?? 'any'}
          href={(kind) => href({ kind: kind === 'any' ? null : kind })}
        />
        <Chips
          label="State"
          labels={NOW_LABELS}
          counts={{
            any: counts.status.any,
            online: counts.status.online,
            available: counts.free.free,
          }}
          chosen={search.free ? 'available' : search.status === null ? 'any' : 'online'}
          href={(now) => href({ status: now === 'online' ? now : null, free: now === 'available' })}
        />
      </FilterBar>
      <p className="visually-hidden" role="status">
        {`${counted(page.total, 'name')} shown`}
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
          <DataTable
            caption="Active names"
            columns={NAME_COLUMNS}
            rows={rows}
            id={({ name }) => name}
          />
          <div className={styles.pages}>
            <Pagination page={page} href={(number) => href({ page: number })} />
          </div>
        </>
      )}
    </div>
  );
}

interface ChipsProps<Value extends string> {
  label: string;
  labels: Record<Value, string>;
  icons?: Partial<Record<Value, readonly Kind[]>>;
  counts?: Record<Value, number>;
  chosen: Value;
  href: (value: Value) => string;
}

/** Links of which one is chosen. */
function Chips<Value extends string>(props: ChipsProps<Value>) {
  const { label, labels, icons, counts, chosen, href } = props;
  return (
    <ChipGroup label={label}>
      {(Object.keys(labels) as Value[]).map((value) => (
        <Chip
          key={value}
          to={href(value)}
          chosen={chosen === value}
          count={counts?.[value]}
          icon={icons?.[value]?.map((kind) => (
            <KindIcon key={kind} kind={kind} />
          ))}
        >
          {labels[value]}
        </Chip>
      ))}
    </ChipGroup>
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
