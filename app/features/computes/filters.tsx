import { Link } from '@remix-run/react';
import type { ReactNode, RefObject } from 'react';
import { COMPUTE_STATUSES, VISIBILITIES } from '#server/computes/values.schema.ts';
import { NODE_CLASSES } from '#server/common/values.schema.ts';
import {
  filterCount,
  MAX_FREE,
  MAX_SEARCH,
  queryString,
  SORT_KEYS,
  sortParameter,
  toggled,
  type DirectoryQuery,
  type Facets,
  type SortKey,
} from './query.ts';
import { count } from '#app/lib/formatters.ts';
import { StatusIcon } from '#app/ui/status-icon.tsx';

export interface FiltersProps {
  query: DirectoryQuery;
  facets: Facets;
  form: RefObject<HTMLFormElement>;
  onInput: () => void;
  onSubmit: () => void;
  /** What the filters leave, in words. */
  children: ReactNode;
}

const ORDERS: { value: string; name: string }[] = SORT_KEYS.flatMap((key) =>
  orderNames(key).map((name, at) => ({ value: `${at === 1 ? '-' : ''}${key}`, name })),
);

/** In words, ascending and descending. */
function orderNames(key: SortKey): [string, string] {
  switch (key) {
    case 'free':
      return ['Fewest free', 'Most free'];
    case 'seen':
      return ['Seen longest ago', 'Seen last'];
    case 'class':
      return ['Smallest class', 'Largest class'];
    case 'status':
      return ['Available first', 'Offline first'];
    case 'visibility':
      return ['Public first', 'Private first'];
    default:
      return [`By ${key}, A to Z`, `By ${key}, Z to A`];
  }
}

/**
 * What the directory is narrowed by: a form and links, so that it works without scripts. With them the
 * list follows every letter. On a narrow screen all but the search folds.
 */
export function Filters({ query, facets, form, onInput, onSubmit, children }: FiltersProps) {
  const set = filterCount(query);
  return (
    <form
      ref={form}
      className="filters"
      role="search"
      aria-label="Computes"
      action="/computes"
      // The URL says what is filtered, not what a browser remembers of the fields.
      autoComplete="off"
      onInput={onInput}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <div className="search-field">
        <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden>
          <path
            d="M13 13l4 4M8.5 14a5.5 5.5 0 1 1 0-11 5.5 5.5 0 0 1 0 11Z"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.75"
            strokeLinecap="round"
          />
        </svg>
        <input
          type="search"
          name="q"
          defaultValue={query.q}
          maxLength={MAX_SEARCH}
          placeholder="Search name, node or image"
          aria-label="Search name, node or image"
          autoCapitalize="none"
          spellCheck={false}
        />
        <button className="button without-scripts">Apply</button>
      </div>
      {children}
      <details className="filters-fold">
        <summary>Filters{set > 0 && ` (${set})`}</summary>
        <div className="filters-body">
          <Choice
            name="status"
            title="Status"
            values={COMPUTE_STATUSES}
            counts={facets.status}
            query={query}
            sign={(status) => <StatusIcon status={status} size="S" />}
          />
          <Choice
            name="visibility"
            title="Visibility"
            values={VISIBILITIES}
            counts={facets.visibility}
            query={query}
          />
          <Choice
            name="class"
            title="Class"
            values={NODE_CLASSES}
            counts={facets.class}
            query={query}
          />
          <label className="filter">
            <span>Backend</span>
            <select name="backend" className="field" defaultValue={query.backend}>
              <option value="">any</option>
              {backends(query, facets).map((name) => (
                <option key={name} value={name}>
                  {name} {count(facets.backend[name] ?? 0)}
                </option>
              ))}
            </select>
          </label>
          <label className="filter">
            <span>
              At least<span className="visually-hidden"> this many</span>
            </span>
            <span>
              <input
                type="number"
                name="free"
                className="field"
                min={0}
                max={MAX_FREE}
                inputMode="numeric"
                placeholder="0"
                defaultValue={query.free === 0 ? '' : query.free}
              />
              free
            </span>
          </label>
          <label className="filter order">
            <span>Order</span>
            <select name="sort" className="field" defaultValue={sortParameter(query)}>
              {ORDERS.map(({ value, name }) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <button className="button without-scripts">Apply</button>
        </div>
      </details>
    </form>
  );
}

/** Those that can be chosen, by name; the chosen one is there even where the other filters leave none of it. */
const backends = (query: DirectoryQuery, facets: Facets) =>
  [...new Set([...Object.keys(facets.backend), ...(query.backend ? [query.backend] : [])])].sort();

interface ChoiceProps<Name extends 'status' | 'visibility' | 'class'> {
  name: Name;
  title: string;
  values: readonly DirectoryQuery[Name][number][];
  counts: Record<string, number>;
  query: DirectoryQuery;
  sign?: (value: DirectoryQuery[Name][number]) => ReactNode;
}

/** Values of which any number may be chosen: each a link, and what is chosen goes along with the form. */
function Choice<Name extends 'status' | 'visibility' | 'class'>({
  name,
  title,
  values,
  counts,
  query,
  sign,
}: ChoiceProps<Name>) {
  const chosen: readonly string[] = query[name];
  return (
    <div className="filter" role="group" aria-label={title}>
      {/* The signs say what the states are. */}
      {!sign && <span aria-hidden>{title}</span>}
      <ul className="chips">
        {values.map((value) => (
          <li key={value}>
            <Link
              className="chip"
              to={{ search: queryString(toggled(query, name, value)) }}
              aria-current={chosen.includes(value) || undefined}
              preventScrollReset
            >
              {sign?.(value)}
              {value} <span className="chip-count">{count(counts[value] ?? 0)}</span>
            </Link>
            {chosen.includes(value) && <input type="hidden" name={name} value={value} />}
          </li>
        ))}
      </ul>
    </div>
  );
}
