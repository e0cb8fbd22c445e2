import { useLoaderData, useNavigate } from '@remix-run/react';
import type { ReactNode } from 'react';
import { orderIn } from '#server/common/list-url.schema.ts';
import {
  QUERY_MAX,
  searchHref,
  sortedBy,
  sortParameter,
  SORTS,
  type RegistrySearch,
  type Sort,
} from '#server/registry/search.schema.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import { LivePage } from '#app/features/live/connection-status.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, counted, regionName } from '#app/lib/formatters.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { DataTable, type TableSort } from '#app/ui/data-table.tsx';
import { Chip, ChipGroup, FilterBar, FilterIcon, SelectChip } from '#app/ui/filter-bar.tsx';
import { FilterSheet } from '#app/ui/filter-sheet.tsx';
import { DownloadIcon, FeedIcon } from '#app/ui/icons.tsx';
import { KindIcon } from '#app/ui/kind-icon.tsx';
import { Link } from '#app/ui/link.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { SearchForm } from '#app/ui/search-field.tsx';
import { Section } from '#app/ui/section.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { NAME_COLUMNS } from './name-table.tsx';
import styles from './registry-page.module.css';
import type { loadRegistry } from './registry-page.server.ts';

/** The form of the list's field, which the choices beside it belong to where there are no scripts. */
const FORM = 'registry-filter';

/** Every active name, with its filters. */
export function RegistryPage() {
  const loaded = useLoaderData<typeof loadRegistry>();
  const connection = usePageRefresh(loaded);
  const { stats, updatedAt, newThisWeek } = loaded;
  return (
    <LivePage
      connection={connection}
      updatedAt={updatedAt}
      title="Registry"
      intro={`${counted(stats.active, 'active name')}, ${count(stats.nodesOnline)} of their nodes online.`}
      actions={
        <div className={styles.actions}>
          <Actions />
        </div>
      }
    >
      {stats.active === 0 ? (
        <NoNames />
      ) : (
        <>
          {newThisWeek.length > 0 && <NewNames names={newThisWeek} />}
          <Names loaded={loaded} />
          <div className={styles.phoneActions}>
            <Actions />
          </div>
        </>
      )}
    </LivePage>
  );
}

const Actions = () => (
  <>
    <a
      className={button.button}
      href={hrefs.newNamesFeed()}
      type="application/atom+xml"
      title="Atom feed of new names"
    >
      <FeedIcon />
      Feed
    </a>
    <a className={button.button} href={hrefs.api.registry()} download="registry.json">
      <DownloadIcon />
      Export
    </a>
  </>
);

/** The names that were activated in the last seven days, newest first. */
const NewNames = ({ names }: { names: Pick<RegistryEntry, 'name' | 'activatedAt'>[] }) => (
  <section className={styles.fresh} aria-label="New this week">
    <span aria-hidden>New this week</span>
    <ul>
      {names.map(({ name, activatedAt }) => (
        <li key={name}>
          <Link to={hrefs.name(name)}>{name}</Link> <RelativeTime at={activatedAt} />
        </li>
      ))}
    </ul>
  </section>
);

type Loaded = ReturnType<typeof useLoaderData<typeof loadRegistry>>;

function Names({ loaded }: { loaded: Loaded }) {
  const { search, stats, page, rows, sortsByUptime } = loaded;
  const href = (change: Partial<RegistrySearch>) => searchHref({ ...search, page: 1, ...change });
  const sort: TableSort = {
    by: search.sort,
    descending: search.descending,
    href: (by) => searchHref(sortedBy(search, by as Sort)),
  };
  return (
    <>
      <Filters loaded={loaded} href={href} />
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
            columns={sortsByUptime ? NAME_COLUMNS : WITHOUT_UPTIME_SORT}
            rows={rows}
            id={({ name }) => name}
            sort={sort}
            cards="lines"
            linked
          />
          <div className={styles.pages}>
            <Pagination page={page} href={(number) => href({ page: number })} />
          </div>
        </>
      )}
    </>
  );
}

/** The columns where there are too many names to sort them by their uptime. */
const WITHOUT_UPTIME_SORT = NAME_COLUMNS.map(({ sort, ...column }) =>
  sort === undefined || sort === 'uptime' ? column : { ...column, sort },
);

interface FiltersProps {
  loaded: Loaded;
  href: (change: Partial<RegistrySearch>) => string;
}

/** What narrows the list and orders it. */
function Filters({ loaded: { search, stats, counts, page, sortsByUptime }, href }: FiltersProps) {
  const navigate = useNavigate();
  const choose = (change: Partial<RegistrySearch>) =>
    navigate(href(change), { replace: true, preventScrollReset: true });
  const { kind, status, free, region } = search;
  const chosen = chosenOf(search, counts);
  return (
    <>
      <FilterBar>
        <SearchForm
          id={FORM}
          action={hrefs.registry()}
          label="Filter by name, label or node ID"
          value={search.q}
          maxLength={QUERY_MAX}
          icon={<FilterIcon />}
          input={{ placeholder: `Filter ${counted(stats.active, 'name')}` }}
          keep={{ kind, status, free: free ? '1' : null }}
          href={(q) => href({ q })}
        />
        <FilterSheet set={chosen.length} show={`Show ${counted(page.total, 'name')}`}>
          <div className={styles.groups}>
            <ChipGroup label="Kinds">
              <Chip to={href({ kind: null })} chosen={kind === null} count={counts.kind.any}>
                All
              </Chip>
              <Chip
                to={href({ kind: 'node' })}
                chosen={kind === 'node'}
                count={counts.kind.node}
                icon={<KindIcon kind="node" />}
              >
                Node
              </Chip>
              <Chip
                to={href({ kind: 'compute' })}
                chosen={kind === 'compute'}
                count={counts.kind.compute}
                icon={<KindIcon kind="compute" />}
              >
                Offer
              </Chip>
              {kind === 'both' && (
                <Chip to={href({ kind: null })} chosen count={counts.kind.both}>
                  Both
                </Chip>
              )}
            </ChipGroup>
            <ChipGroup label="State">
              {status !== null && status !== 'online' && (
                <Chip
                  to={href({ status: null })}
                  chosen
                  count={counts.status[status]}
                  icon={<StateGlyph state={status} />}
                >
                  Node {status}
                </Chip>
              )}
              <Chip
                to={href({ status: status === 'online' ? null : 'online' })}
                chosen={status === 'online'}
                count={counts.status.online}
                icon={<StateGlyph state="online" />}
              >
                Node online
              </Chip>
              <Chip
                to={href({ free: !free })}
                chosen={free}
                count={counts.free.free}
                icon={<StateGlyph state="available" />}
              >
                Slots free
              </Chip>
            </ChipGroup>
          </div>
          <div className={styles.choices}>
            <SelectChip
              name="region"
              label="Region"
              form={FORM}
              value={region}
              options={regionOptions(counts.regions, region)}
              onChange={(region) => choose({ region })}
            />
            <SelectChip
              name="sort"
              label="By name"
              form={FORM}
              value={sortParameter(search)}
              options={orderOptions(search, sortsByUptime)}
              onChange={(order) => choose(orderIn(order, SORTS, 'name'))}
            />
          </div>
        </FilterSheet>
      </FilterBar>
      {chosen.length > 0 && (
        <ul className={`${chips.chips} ${styles.chosen}`} aria-label="Chosen filters">
          {chosen.map(({ words, without }) => (
            <li key={words}>
              <Link
                className={chips.chip}
                to={href(without)}
                replace
                preventScrollReset
                aria-label={`Remove the filter ${words}`}
              >
                <span suppressHydrationWarning>{words}</span> <span aria-hidden>×</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <p className={styles.phoneNote}>
        Uptime of the node over 30 days
        {chosen.length > 0 && ` · ${count(page.total)} of ${count(stats.active)}`}
      </p>
    </>
  );
}

const inWords = (region: string) => regionName(region) ?? region;

/** The filters that are set, and the search without each. */
function chosenOf(
  { kind, status, free, region }: RegistrySearch,
  counts: Loaded['counts'],
): { words: string; without: Partial<RegistrySearch> }[] {
  const KINDS = { node: 'Node', compute: 'Offer', both: 'Both' };
  return [
    ...(kind
      ? [{ words: `${KINDS[kind]} ${count(counts.kind[kind])}`, without: { kind: null } }]
      : []),
    ...(status
      ? [{ words: `Node ${status} ${count(counts.status[status])}`, without: { status: null } }]
      : []),
    ...(free ? [{ words: `Slots free ${count(counts.free.free)}`, without: { free: false } }] : []),
    ...(region ? [{ words: inWords(region), without: { region: null } }] : []),
  ];
}

/** Regions with their names and counts; the chosen one is there even if it has no names. */
function regionOptions(regions: [string, number][], chosen: string | null): [string, string][] {
  const listed = regions.map(([code, n]): [string, string] => [
    code,
    `${inWords(code)} (${count(n)})`,
  ]);
  return chosen === null || regions.some(([code]) => code === chosen)
    ? listed
    : [...listed, [chosen, `${inWords(chosen)} (0)`]];
}

const ORDERS: Record<string, string> = {
  '-since': 'Newest first',
  '-uptime': 'Highest uptime',
  uptime: 'Lowest uptime',
  '-free': 'Most free slots',
  status: 'By state',
  node: 'By node',
  region: 'By region',
};

/** The orders in the menu. One that only a head of the table asks for is there while the list has it. */
function orderOptions(search: RegistrySearch, sortsByUptime: boolean): [string, string][] {
  const now = sortParameter(search);
  const offered = Object.entries(ORDERS).filter(
    ([order]) => sortsByUptime || !order.endsWith('uptime'),
  );
  return now === null || now in ORDERS
    ? offered
    : [...offered, [now, `By ${search.sort}${search.descending ? ', reversed' : ''}`]];
}

const NoNames = () => (
  <Section title="No active names yet">
    <div className={styles.empty}>
      <p>
        A node’s operator registers a name and pays for it, and a reviewer activates it. Sending
        heartbeats doesn’t register a name.
      </p>
      <ul className={chips.chips}>
        <Action primary to={hrefs.register()}>
          Register the first name
        </Action>
        <Action to={hrefs.docs.operators('register')}>How it works</Action>
      </ul>
    </div>
  </Section>
);

const Action = (props: { to: string; primary?: boolean; children: ReactNode }) => (
  <li>
    <Link className={props.primary ? button.primary : button.button} to={props.to}>
      {props.children}
    </Link>
  </li>
);
