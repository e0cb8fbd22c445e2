import {
  COMPUTE_STATUSES,
  VISIBILITIES,
  NODE_CLASSES,
} from '@mesh-registry/protocol/values.schema.ts';
import { orderText } from '#server/common/list-url.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { byCount, CLASS_WORDS, count, counted, regionInWords } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import { Chip, ChipGroup, FilterBar, FilterIcon, SelectChip } from '#app/ui/filter-bar.tsx';
import { FilterSheet } from '#app/ui/filter-sheet.tsx';
import { SearchBox } from '#app/ui/search-box.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import {
  filterCount,
  MAX_SEARCH,
  queryString,
  SORT_KEYS,
  toggled,
  UPTIMES,
  type DirectoryQuery,
  type SortKey,
} from './directory-query.ts';
import styles from './filters.module.css';
import type { Facets, Totals } from './select-computes.ts';
import type { useDirectoryQuery } from './use-directory-query.ts';

interface FiltersProps extends ReturnType<typeof useDirectoryQuery> {
  facets: Facets;
  /** Totals of the matching compute offers. */
  found: Totals;
}

/**
 * Text, filters and order of the directory: a form and links, so that they work without scripts. With scripts
 * the list follows every keystroke. On a phone everything but the text is in a sheet at the bottom.
 */
export function Filters({ query, facets, found, form, onInput, onSubmit }: FiltersProps) {
  return (
    <form
      ref={form}
      role="search"
      aria-label="Compute offers"
      className={styles.form}
      action={hrefs.computes()}
      // The fields are set by the URL, not by what a browser remembers of them.
      autoComplete="off"
      onInput={onInput}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <FilterBar>
        <SearchBox
          name="q"
          label="Filter by name, node or image"
          placeholder="Name, node or image"
          icon={<FilterIcon />}
          autoCapitalize="none"
          maxLength={MAX_SEARCH}
          defaultValue={query.q}
        />
        <FilterSheet set={filterCount(query)} show={`Show ${counted(found.total, 'offer')}`}>
          <div className={styles.filters}>
            <States query={query} counts={facets.status} />
            <SelectChip
              name="region"
              label="Region"
              value={query.region || null}
              options={byCount(withChosen(facets.region, query.region)).map(([code, n]) => [
                code,
                `${regionInWords(code)} (${count(n)})`,
              ])}
            />
            <SelectChip
              name="class"
              label="Class"
              value={query.class.join(',') || null}
              options={[
                ...NODE_CLASSES.map(
                  (size) => [size, `${CLASS_WORDS[size]} (${count(facets.class[size])})`] as const,
                ),
                ...(query.class.length > 1
                  ? [[query.class.join(','), query.class.join(' or ')] as const]
                  : []),
              ]}
            />
            <SelectChip
              name="backend"
              label="Backend"
              value={query.backend || null}
              options={byName(withChosen(facets.backend, query.backend)).map(([name, n]) => [
                name,
                `${name} (${count(n)})`,
              ])}
            />
            <SelectChip
              name="visibility"
              label="Visibility"
              none="Visibility: all"
              value={query.visibility.length === 1 ? (query.visibility[0] ?? null) : null}
              options={VISIBILITIES.map((visibility) => [
                visibility,
                `${visibility} (${count(facets.visibility[visibility])})`,
              ])}
            />
            <SelectChip
              name="free"
              label="Free slots"
              value={query.free === 0 ? null : String(query.free)}
              options={[...new Set([...FREE, ...(query.free > 0 ? [query.free] : [])])]
                .sort((a, b) => a - b)
                .map((n) => [String(n), `${count(n)} or more free`])}
            />
            <SelectChip
              name="uptime"
              label="Uptime"
              value={query.uptime === 0 ? null : String(query.uptime)}
              options={UPTIMES.map((percent) => [String(percent), `Up ${percent}% or more`])}
            />
            <SelectChip
              className={styles.order}
              name="sort"
              label="Order"
              none={FIRST_ORDER}
              value={orderText(query) === 'name' ? null : orderText(query)}
              options={ORDERS}
            />
            <button className={`${button.button} without-scripts`}>Apply</button>
          </div>
        </FilterSheet>
      </FilterBar>
      {query.compare.length > 0 && (
        <input type="hidden" name="compare" value={query.compare.join(',')} />
      )}
    </form>
  );
}

/** Each state is a link, of which several may be chosen, and the form sends the chosen ones too. */
function States({ query, counts }: { query: DirectoryQuery; counts: Facets['status'] }) {
  const all = COMPUTE_STATUSES.reduce((sum, status) => sum + counts[status], 0);
  const to = (query: DirectoryQuery) => ({ search: queryString(query) });
  return (
    <>
      <ChipGroup label="State">
        <Chip
          to={to({ ...query, status: [], page: 1 })}
          chosen={query.status.length === 0}
          count={all}
        >
          All
        </Chip>
        {COMPUTE_STATUSES.map((status) => (
          <Chip
            key={status}
            to={to(toggled(query, 'status', status))}
            chosen={query.status.includes(status)}
            count={counts[status]}
            icon={<StateGlyph state={status} />}
          >
            {status}
          </Chip>
        ))}
      </ChipGroup>
      {query.status.map((status) => (
        <input key={status} type="hidden" name="status" value={status} />
      ))}
    </>
  );
}

/** Steps of free slots that somebody may need. */
const FREE = [1, 2, 4, 8, 16];

/** Ascending and descending. Others are in order of their letters. */
const ORDER_LABELS: Partial<Record<SortKey, [string, string]>> = {
  free: ['Fewest free slots first', 'Most free slots first'],
  replicas: ['Fewest replicas first', 'Most replicas first'],
  uptime: ['Lowest uptime first', 'Highest uptime first'],
  seen: ['Least recently announced first', 'Most recently announced first'],
  class: ['Smallest class first', 'Largest class first'],
  status: ['Available first', 'Offline first'],
  visibility: ['Public first', 'Private first'],
};

/** The order of a plain address. */
const FIRST_ORDER = 'By name, A to Z';

const ORDERS = SORT_KEYS.flatMap((key): [string, string][] => {
  const [up, down] = ORDER_LABELS[key] ?? [`By ${key}, A to Z`, `By ${key}, Z to A`];
  return [
    [key, up],
    [`-${key}`, down],
  ];
}).filter(([, label]) => label !== FIRST_ORDER);

/** With the chosen value even if no offer with it matches the other filters. */
const withChosen = (counts: Record<string, number>, chosen: string): Record<string, number> =>
  chosen === '' || counts[chosen] !== undefined ? counts : { ...counts, [chosen]: 0 };

const byName = (counts: Record<string, number>): [string, number][] =>
  Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
