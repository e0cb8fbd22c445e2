import { useEffect, useRef, type ReactNode } from 'react';
import {
  COMPUTE_STATUSES,
  VISIBILITIES,
  NODE_CLASSES,
} from '@mesh-registry/protocol/values.schema.ts';
import { orderText } from '#server/common/list-url.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { byCount, count, counted } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { Link } from '#app/ui/link.tsx';
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
import { CLASS_WORDS, regionInWords } from './offer-parts.tsx';
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
  const set = filterCount(query);
  const { sheet, close } = useSheet();
  return (
    <form
      ref={form}
      role="search"
      aria-label="Compute offers"
      className={styles.bar}
      action={hrefs.computes()}
      // The fields are set by the URL, not by what a browser remembers of them.
      autoComplete="off"
      onInput={onInput}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
        close();
      }}
    >
      <label className={styles.field}>
        <FilterIcon />
        <input
          type="search"
          name="q"
          placeholder="Name, node or image"
          aria-label="Filter by name, node or image"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={MAX_SEARCH}
          defaultValue={query.q}
        />
      </label>
      {query.compare.length > 0 && (
        <input type="hidden" name="compare" value={query.compare.join(',')} />
      )}
      <details ref={sheet} className={styles.fold}>
        <summary className={button.button}>Filters{set > 0 && ` (${set})`}</summary>
        <div className={styles.filters}>
          <States query={query} counts={facets.status} />
          <Choice name="region" label="Region" chosen={query.region}>
            {byCount(withChosen(facets.region, query.region)).map(([code, n]) => (
              <option key={code} value={code} suppressHydrationWarning>
                {regionInWords(code)} ({count(n)})
              </option>
            ))}
          </Choice>
          <Choice name="class" label="Class" chosen={query.class.join(',')}>
            {NODE_CLASSES.map((size) => (
              <option key={size} value={size}>
                {CLASS_WORDS[size]} ({count(facets.class[size])})
              </option>
            ))}
            {query.class.length > 1 && (
              <option value={query.class.join(',')}>{query.class.join(' or ')}</option>
            )}
          </Choice>
          <Choice name="backend" label="Backend" chosen={query.backend}>
            {byName(withChosen(facets.backend, query.backend)).map(([name, n]) => (
              <option key={name} value={name}>
                {name} ({count(n)})
              </option>
            ))}
          </Choice>
          <Choice
            name="visibility"
            label="Visibility"
            any="Visibility: all"
            chosen={query.visibility.length === 1 ? (query.visibility[0] ?? '') : ''}
          >
            {VISIBILITIES.map((visibility) => (
              <option key={visibility} value={visibility}>
                {visibility} ({count(facets.visibility[visibility])})
              </option>
            ))}
          </Choice>
          <Choice
            name="free"
            label="Free slots"
            chosen={query.free === 0 ? '' : String(query.free)}
          >
            {[...new Set([...FREE, ...(query.free > 0 ? [query.free] : [])])]
              .sort((a, b) => a - b)
              .map((n) => (
                <option key={n} value={n}>
                  {count(n)} or more free
                </option>
              ))}
          </Choice>
          <Choice
            name="uptime"
            label="Uptime"
            chosen={query.uptime === 0 ? '' : String(query.uptime)}
          >
            {UPTIMES.map((percent) => (
              <option key={percent} value={percent}>
                Up {percent}% or more
              </option>
            ))}
          </Choice>
          <span className={`${styles.select} ${styles.order}`}>
            <select name="sort" aria-label="Order" defaultValue={orderText(query)}>
              {ORDERS.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
            <Chevron />
          </span>
          <button className={`${button.button} without-scripts`}>Apply</button>
          <button className={`${button.primary} ${styles.done} needs-scripts`}>
            Show {counted(found.total, 'offer')}
          </button>
        </div>
      </details>
    </form>
  );
}

/** Closes the sheet with Escape and with a click beside it; on a wide screen there is nothing to close. */
function useSheet() {
  const sheet = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const closeBy = (event: Event) => {
      const { current } = sheet;
      if (!current?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        if (current.contains(document.activeElement)) current.querySelector('summary')?.focus();
      } else if (current.contains(event.target as Node)) return;
      current.open = false;
    };
    for (const event of ['pointerdown', 'keydown']) document.addEventListener(event, closeBy);
    return () => {
      for (const event of ['pointerdown', 'keydown']) document.removeEventListener(event, closeBy);
    };
  }, []);
  return {
    sheet,
    close: () => {
      if (sheet.current) sheet.current.open = false;
    },
  };
}

/** Each state is a link, of which several may be chosen, and the form sends the chosen ones too. */
function States({ query, counts }: { query: DirectoryQuery; counts: Facets['status'] }) {
  const all = COMPUTE_STATUSES.reduce((sum, status) => sum + counts[status], 0);
  const chip = (href: DirectoryQuery, chosen: boolean, content: ReactNode) => (
    <Link
      className={chips.chip}
      to={{ search: queryString(href) }}
      aria-current={chosen || undefined}
      replace
      preventScrollReset
    >
      {content}
    </Link>
  );
  return (
    <ul className={`${chips.chips} ${styles.states}`} aria-label="State">
      <li>
        {chip(
          { ...query, status: [], page: 1 },
          query.status.length === 0,
          <>
            All <span className={chips.count}>{count(all)}</span>
          </>,
        )}
      </li>
      {COMPUTE_STATUSES.map((status) => (
        <li key={status}>
          {chip(
            toggled(query, 'status', status),
            query.status.includes(status),
            <>
              <StateGlyph state={status} />
              {status} <span className={chips.count}>{count(counts[status])}</span>
            </>,
          )}
          {query.status.includes(status) && <input type="hidden" name="status" value={status} />}
        </li>
      ))}
    </ul>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  /** What it says while nothing is chosen; the label by default. */
  any?: string;
  /** '' for all. */
  chosen: string;
  /** The options besides "all". */
  children: ReactNode;
}

/** One value out of several, as a menu of the platform. */
const Choice = ({ name, label, any = label, chosen, children }: ChoiceProps) => (
  <span className={styles.select} data-chosen={chosen !== '' || undefined}>
    <select name={name} aria-label={label} defaultValue={chosen}>
      <option value="">{any}</option>
      {children}
    </select>
    <Chevron />
  </span>
);

const Chevron = () => (
  <svg viewBox="0 0 20 20" width="14" height="14" aria-hidden>
    <path d="M5 8l5 5 5-5" fill="none" stroke="currentColor" strokeWidth="1.5" />
  </svg>
);

/** A list's own field has another sign than the search across the site. */
const FilterIcon = () => (
  <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden>
    <path
      d="M3 6h14M6 10h8M8.5 14h3"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
    />
  </svg>
);

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

const ORDERS = SORT_KEYS.flatMap((key) => {
  const labels = ORDER_LABELS[key] ?? [`By ${key}, A to Z`, `By ${key}, Z to A`];
  return [
    { value: key, label: labels[0] },
    { value: `-${key}`, label: labels[1] },
  ];
});

/** With the chosen value even if no offer with it matches the other filters. */
const withChosen = (counts: Record<string, number>, chosen: string): Record<string, number> =>
  chosen === '' || counts[chosen] !== undefined ? counts : { ...counts, [chosen]: 0 };

const byName = (counts: Record<string, number>): [string, number][] =>
  Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
