import type { ReactNode } from 'react';
import {
  COMPUTE_STATUSES,
  VISIBILITIES,
  NODE_CLASSES,
} from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { Link } from '#app/ui/link.tsx';
import { SearchBox } from '#app/ui/search-box.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import {
  filterCount,
  MAX_FREE,
  MAX_SEARCH,
  queryString,
  SORT_KEYS,
  sortParameter,
  toggled,
  type DirectoryQuery,
  type SortKey,
} from './directory-query.ts';
import styles from './filters.module.css';
import type { Facets } from './select-computes.ts';
import type { useDirectoryQuery } from './use-directory-query.ts';

interface FiltersProps extends ReturnType<typeof useDirectoryQuery> {
  facets: Facets;
}

/**
 * Search, filters and order of the directory: a form and links, so that they work without scripts. With scripts
 * the list follows every keystroke. On a phone everything but the search folds.
 */
export function Filters({ query, facets, form, onInput, onSubmit }: FiltersProps) {
  const set = filterCount(query);
  return (
    <form
      ref={form}
      role="search"
      aria-label="Compute offers"
      action={hrefs.computes()}
      // The fields are set by the URL, not by what a browser remembers of them.
      autoComplete="off"
      onInput={onInput}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <SearchBox
        name="q"
        label="Search name, node or image"
        defaultValue={query.q}
        maxLength={MAX_SEARCH}
        autoCapitalize="none"
      />
      <details className={styles.fold}>
        <summary>Filters{set > 0 && ` (${set})`}</summary>
        <div className={styles.filters}>
          <Choice
            name="status"
            label="Status"
            values={COMPUTE_STATUSES}
            counts={facets.status}
            query={query}
            icon={(status) => <StateGlyph state={status} />}
          />
          <Choice
            name="visibility"
            label="Visibility"
            values={VISIBILITIES}
            counts={facets.visibility}
            query={query}
          />
          <Choice
            name="class"
            label="Class"
            values={NODE_CLASSES}
            counts={facets.class}
            query={query}
            showLabel
          />
          <select
            name="backend"
            aria-label="Backend"
            className={`${chips.chip} ${styles.select}`}
            defaultValue={query.backend}
          >
            <option value="">Any backend</option>
            {backendsOf(query, facets).map((name) => (
              <option key={name} value={name}>
                {name} ({count(facets.backend[name] ?? 0)})
              </option>
            ))}
          </select>
          <label className={styles.labelled}>
            At least
            <input
              type="number"
              name="free"
              className={`${chips.chip} ${styles.number}`}
              min={0}
              max={MAX_FREE}
              inputMode="numeric"
              placeholder="0"
              defaultValue={query.free === 0 ? '' : query.free}
            />
            free
          </label>
          <select
            name="sort"
            aria-label="Order"
            className={`${chips.chip} ${styles.select} ${styles.order}`}
            defaultValue={sortParameter(query)}
          >
            {ORDERS.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <button className={`${button.button} without-scripts`}>Apply</button>
        </div>
      </details>
    </form>
  );
}

/** Ascending and descending. Others are in order of their letters. */
const ORDER_LABELS: Partial<Record<SortKey, [string, string]>> = {
  free: ['Fewest free slots first', 'Most free slots first'],
  replicas: ['Fewest replicas first', 'Most replicas first'],
  seen: ['Least recently seen first', 'Most recently seen first'],
  class: ['Smallest class first', 'Largest class first'],
  status: ['Available first', 'Offline first'],
  visibility: ['Public first', 'Private first'],
};

const ORDERS = SORT_KEYS.flatMap((key) => {
  const labels = ORDER_LABELS[key] ?? [`By ${key}, A to Z`, `By ${key}, Z to A`];
  return [
    { value: key, label: labels[0] },
    { value: `-${key}`, label: labels[1] },
  ];
});

/** In order of their names, with the chosen one even if no offer with it matches the other filters. */
const backendsOf = (query: DirectoryQuery, facets: Facets) =>
  [...new Set([...Object.keys(facets.backend), ...(query.backend ? [query.backend] : [])])].sort();

interface ChoiceProps<Name extends 'status' | 'visibility' | 'class'> {
  name: Name;
  label: string;
  values: readonly DirectoryQuery[Name][number][];
  counts: Record<string, number>;
  query: DirectoryQuery;
  icon?: (value: DirectoryQuery[Name][number]) => ReactNode;
  /** For values that don't explain themselves. */
  showLabel?: boolean;
}

/** Values of which any number can be chosen. Each is a link, and the form sends the chosen ones too. */
function Choice<Name extends 'status' | 'visibility' | 'class'>(props: ChoiceProps<Name>) {
  const { name, label, values, counts, query, icon, showLabel = false } = props;
  const chosen: readonly string[] = query[name];
  return (
    <div className={styles.labelled} role="group" aria-label={label}>
      {showLabel && <span aria-hidden>{label}</span>}
      <ul className={chips.chips}>
        {values.map((value) => (
          <li key={value}>
            <Link
              className={chips.chip}
              to={{ search: queryString(toggled(query, name, value)) }}
              aria-current={chosen.includes(value) || undefined}
              preventScrollReset
            >
              {icon?.(value)}
              {value} <span className={chips.count}>{count(counts[value] ?? 0)}</span>
            </Link>
            {chosen.includes(value) && <input type="hidden" name={name} value={value} />}
          </li>
        ))}
      </ul>
    </div>
  );
}
